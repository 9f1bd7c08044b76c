# make run     starts the gateway (http://127.0.0.1:17000); installs what is missing
# make test    builds and runs every test; installs what is missing
# make help    lists the rest
.DELETE_ON_ERROR:
.PHONY: help run test static formatted linted typed check conformance conformance-docs cross-table fuzz model model-mutants mutants sbom write-faults faults interop mcp-conformance nginx-test bench format build helm-test helm-docs image-test upgrade-test cli-docs

# Plain npx would fetch a package when an install failed half-way.
NPX := npx --no-install
DEPS := node_modules/.package-lock.json
ENTRY := dist/main.js
SOURCES := $(shell find src lua -name '*.ts' -o -name '*.lua')

INSTANCES ?= 1
HOST ?= 127.0.0.1
PORT ?= 17000

help:
	@echo 'make run [INSTANCES=2] [HOST=…] [PORT=…] [REDIS_URL=…]   start the gateway'
	@echo 'make test      build, then every test: unit, integration, two processes on a real Redis'
	@echo 'make check     formatting, lint, types, unit tests: seconds, no services'
	@echo 'make conformance  every promised behaviour over every binding; each proof fails on null servers'
	@echo 'make cross-table  every operation for other peoples’ things, by whoever may not see them; minutes'
	@echo 'make fuzz      malformed requests to every endpoint [SECONDS=300] [SEED=…, else random]'
	@echo 'make mutants   break each invariant on purpose: a named test must turn red'
	@echo 'make model [RUNS=2000] [SEED=…]   random interleavings of instances: the scripts against a model'
	@echo 'make model-mutants [MUTANT=file]  change each line of lua/ in turn: what does the model find?'
	@echo 'make write-faults  owners killed and stopped in the middle of a write, 50 times (ROUNDS), of a mute 15 (MUTE_ROUNDS)'
	@echo 'make faults [FAULTS=kill]   kills, pauses, cuts and fails over for real; minutes'
	@echo 'make interop   other peoples’ clients (ADK, the A2A and MCP SDKs) against a gateway'
	@echo 'make mcp-conformance  the MCP conformance suite against a gateway, both eras'
	@echo 'make nginx-test  clients through nginx and two gateways, with 90 s of silence'
	@echo 'make bench     throughput and latency, as ratios in one run'
	@echo 'make helm-test the chart, by the real helm and Kubernetes’ schemas (fetches helm once)'
	@echo 'make helm-docs the chart’s schema and table of values, from values.yaml'
	@echo 'make upgrade-test [UPGRADE_FROM=v1.2.3]  an earlier build and this one on one Redis, under load'
	@echo 'make image-test  docker/Dockerfile’s steps in an empty folder, run without rights'
	@echo 'make sbom      sbom.cdx.json: what runs in production, from the lock file'
	@echo 'make cli-docs  docs/cli.md, from what the commands say of themselves'
	@echo 'make format    prettier over the tree'

run: $(ENTRY)
	@if [ -z "$$REDIS_URL" ]; then scripts/need.sh redis-server:redis-server:redis; fi
	@HOST='$(HOST)' PORT='$(PORT)' exec node dist/cli/nightjar.js serve --instances $(INSTANCES)

test: $(ENTRY)
	@scripts/need.sh redis-server:redis-server:redis prometheus:prometheus:prometheus \
	  prometheus-alertmanager,alertmanager:prometheus-alertmanager:alertmanager nginx:nginx:nginx \
	  curl:curl:curl redis-sentinel:redis-sentinel:redis openssl:openssl:openssl
	$(NPX) vitest run

static: $(DEPS)
	@$(MAKE) --no-print-directory -j3 formatted linted typed

formatted:
	$(NPX) prettier --check .

linted:
	$(NPX) eslint . --max-warnings 0

typed:
	$(NPX) tsc --noEmit

check: static
	$(NPX) vitest run --project unit

conformance: $(ENTRY)
	@scripts/need.sh redis-server:redis-server:redis
	$(NPX) vitest run --project unit --project integration --project e2e \
	  test/conformance/completeness test/conformance/null-servers test/conformance/conformance

conformance-docs: $(DEPS)
	$(NPX) vitest run --project unit test/conformance/completeness --update

cross-table: $(ENTRY)
	@scripts/need.sh redis-server:redis-server:redis
	CROSS_TABLE_REPEATS=$${REPEATS:-10} $(NPX) vitest run --project e2e test/e2e/cross-table --update

fuzz: SECONDS ?= 300
fuzz: SEED ?= $(shell od -An -N3 -tu4 /dev/urandom | tr -d ' ')
fuzz: $(ENTRY)
	@scripts/need.sh redis-server:redis-server:redis
	@echo 'again with the same requests: make fuzz SEED=$(SEED)'
	FUZZ_SEED=$(SEED) FUZZ_SECONDS=$(SECONDS) $(NPX) vitest run --config test/conformance/fuzz/vitest.config.ts

mutants: $(ENTRY)
	@scripts/need.sh redis-server:redis-server:redis
	node test/mutants/run.mjs $(MUTANT)

write-faults: $(ENTRY)
	@scripts/need.sh redis-server:redis-server:redis \
	  prometheus-alertmanager,alertmanager:prometheus-alertmanager:alertmanager
	NIGHTJAR_WRITE_ROUNDS=$${ROUNDS:-50} NIGHTJAR_MUTE_ROUNDS=$${MUTE_ROUNDS:-15} $(NPX) vitest run --project e2e test/e2e/writes.e2e-spec.ts

model: $(DEPS)
	@scripts/need.sh redis-server:redis-server:redis
	@MODEL_RUNS=$${RUNS:-2000} MODEL_SEED=$${SEED:-$$(date +%s)} \
	  $(NPX) vitest run --project integration test/model

model-mutants: $(DEPS)
	@scripts/need.sh redis-server:redis-server:redis
	@MODEL_RUNS=$${RUNS:-300} $(NPX) vitest run --config test/model/vitest.config.ts

faults: $(ENTRY)
	@scripts/need.sh redis-server:redis-server:redis redis-sentinel:redis-sentinel:redis
	$(NPX) vitest run --config test/faults/vitest.config.ts $(FAULTS)

interop: $(ENTRY) interop/node_modules/.package-lock.json
	@scripts/need.sh redis-server:redis-server:redis
	node interop/run.mjs

mcp-conformance: $(ENTRY) interop/conformance/node_modules/.package-lock.json
	@scripts/need.sh redis-server:redis-server:redis
	node interop/conformance/run.mjs

nginx-test: $(ENTRY)
	@scripts/need.sh redis-server:redis-server:redis nginx:nginx:nginx
	NGINX_SILENCE_SECONDS=90 $(NPX) vitest run --project e2e test/e2e/nginx.e2e-spec.ts

bench: $(ENTRY)
	@scripts/need.sh redis-server:redis-server:redis
	node bench/run.mjs

helm-test: $(DEPS)
	@tools=$$(scripts/helm-tools.sh) && eval "$$tools" && export HELM KUBERNETES_VALIDATE && \
	  $(NPX) vitest run --config test/helm/vitest.config.ts

helm-docs: $(DEPS)
	node helm/tools/generate.mjs

image-test: $(DEPS)
	@scripts/need.sh redis-server:redis-server:redis
	$(NPX) vitest run --config test/docker/vitest.config.ts

upgrade-test: $(ENTRY)
	@scripts/need.sh redis-server:redis-server:redis git:git:git
	$(NPX) vitest run --config test/upgrade/vitest.config.ts

sbom:
	@npm sbom --sbom-format cyclonedx --omit dev --package-lock-only > sbom.cdx.json
	@echo 'sbom.cdx.json'

cli-docs: $(ENTRY)
	node scripts/cli-docs.mjs

format: $(DEPS)
	$(NPX) prettier --write .

build: $(ENTRY)

$(ENTRY): $(DEPS) $(SOURCES) tsconfig.json tsconfig.build.json nest-cli.json
	$(NPX) nest build
	@touch $@

node_modules/.package-lock.json: package.json package-lock.json .npmrc
	@node -e 'const [a,b]=process.versions.node.split(".");if(+a<20||(+a==20&&+b<19)){console.error("Nightjar needs Node.js 20.19 or newer; this is "+process.version+".");process.exit(1)}'
	npm ci --no-audit --no-fund
	@touch $@

interop/node_modules/.package-lock.json: interop/package.json interop/package-lock.json
	cd interop && npm ci --no-audit --no-fund
	@touch $@

interop/conformance/node_modules/.package-lock.json: interop/conformance/package.json interop/conformance/package-lock.json
	cd interop/conformance && npm ci --no-audit --no-fund
	@touch $@
