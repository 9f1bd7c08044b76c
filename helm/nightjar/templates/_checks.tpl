{{/* Combinations that cannot work, each with a sentence that says what to change. */}}
{{- define "nightjar.checks" -}}
{{- $config := .Values.config -}}
{{- include "nightjar.checks.redis" . -}}
{{- range $section := list "listen" "management" -}}
{{- if hasKey $config $section -}}
{{- fail (printf "config.%s is set by the chart (ports 17000 and 18000, listenHost): remove it from config." $section) -}}
{{- end -}}
{{- end -}}
{{- include "nightjar.checks.secrets" . -}}
{{- include "nightjar.checks.rollout" . -}}
{{- include "nightjar.checks.routes" . -}}
{{- end -}}

{{- define "nightjar.checks.redis" -}}
{{- $external := .Values.externalRedis -}}
{{- if dig "redis" "url" "" .Values.config -}}
{{- fail "config.redis.url is set by the chart: give externalRedis.url, externalRedis.existingSecret or redis.enabled instead." -}}
{{- end -}}
{{- if and .Values.redis.enabled (or $external.url $external.existingSecret) -}}
{{- fail "redis.enabled starts a Redis for trials and externalRedis names another one: choose one of them." -}}
{{- end -}}
{{- if and $external.url $external.existingSecret -}}
{{- fail "externalRedis.url and externalRedis.existingSecret both name a Redis: choose one of them." -}}
{{- end -}}
{{- if not (or .Values.redis.enabled $external.url $external.existingSecret) -}}
{{- fail "Nightjar needs a Redis: give externalRedis.url, or externalRedis.existingSecret (a Secret with the URL), or redis.enabled=true for a trial." -}}
{{- end -}}
{{- end -}}

{{/* A reference to a variable that the pod does not get would be a crash loop with exit code 78. */}}
{{- define "nightjar.checks.secrets" -}}
{{- $given := list -}}
{{- range .Values.secretEnv -}}{{- $given = append $given .name -}}{{- end -}}
{{- range .Values.extraEnv -}}{{- $given = append $given .name -}}{{- end -}}
{{- if ne (len $given) (len (uniq $given)) -}}
{{- fail "secretEnv and extraEnv give the same variable twice: name each variable once." -}}
{{- end -}}
{{- range $own := list "HOST" "PORT" "MANAGEMENT_HOST" "MANAGEMENT_PORT" "NIGHTJAR_CONFIG" "REDIS_URL" -}}
{{- if has $own $given -}}
{{- fail (printf "%s is set by the chart: remove it from secretEnv and extraEnv." $own) -}}
{{- end -}}
{{- end -}}
{{- if not .Values.extraEnvFrom -}}
{{- range regexFindAll "\\{\"env\":\"[A-Za-z_][A-Za-z0-9_]*\"\\}" (toJson .Values.config) -1 -}}
{{- $name := get (fromJson .) "env" -}}
{{- if not (has $name $given) -}}
{{- fail (printf "config names the variable %s ({env: %s}), but no pod gets it: add it to secretEnv (or to extraEnv)." $name $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "nightjar.checks.rollout" -}}
{{- $drain := include "nightjar.drainSeconds" . | int -}}
{{- $least := add (int .Values.preStopSeconds) $drain 5 | int -}}
{{- if le (include "nightjar.gracePeriod" . | int) $least -}}
{{- fail (printf "terminationGracePeriodSeconds must be above %d (preStopSeconds + config.execution.drainSeconds + 5): Kubernetes would kill a gateway before it has handed its runs over." $least) -}}
{{- end -}}
{{- $least := .Values.replicaCount | int -}}
{{- with .Values.autoscaling -}}
{{- if .enabled -}}
{{- $least = .minReplicas | int -}}
{{- if gt (int .minReplicas) (int .maxReplicas) -}}
{{- fail "autoscaling.minReplicas is above autoscaling.maxReplicas." -}}
{{- end -}}
{{- if not (or (int .targetCPUUtilizationPercentage) (int .targetOpenStreams)) -}}
{{- fail "autoscaling needs targetCPUUtilizationPercentage or targetOpenStreams." -}}
{{- end -}}
{{- if and (int .targetCPUUtilizationPercentage) (not (dig "requests" "cpu" "" $.Values.resources)) -}}
{{- fail "autoscaling by CPU needs resources.requests.cpu: a percentage of nothing is never reached." -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with .Values.podDisruptionBudget -}}
{{- if .enabled -}}
{{- $min := toString .minAvailable -}}
{{- $max := toString .maxUnavailable -}}
{{- if and $min $max -}}
{{- fail "podDisruptionBudget.minAvailable and maxUnavailable exclude each other: set one of them to ''." -}}
{{- end -}}
{{- if not (or $min $max) -}}
{{- fail "podDisruptionBudget needs minAvailable or maxUnavailable (or enabled: false)." -}}
{{- end -}}
{{- if has $max (list "0" "0%") -}}
{{- fail "podDisruptionBudget.maxUnavailable 0 would block every drain of a node." -}}
{{- end -}}
{{- if not (kindIs "string" .minAvailable) -}}
{{- if ge (int .minAvailable) $least -}}
{{- fail (printf "podDisruptionBudget.minAvailable must be below the number of gateways (%d): no node could be drained." $least) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "nightjar.checks.routes" -}}
{{- $hosts := list -}}
{{- if .Values.ingress.enabled -}}{{- $hosts = concat $hosts .Values.ingress.hosts -}}{{- end -}}
{{- if .Values.httpRoute.enabled -}}
{{- $hosts = concat $hosts .Values.httpRoute.hostnames -}}
{{- if not .Values.httpRoute.parentRefs -}}
{{- fail "httpRoute.parentRefs is empty: name the Gateway that the route attaches to." -}}
{{- end -}}
{{- end -}}
{{- if or .Values.ingress.enabled .Values.httpRoute.enabled -}}
{{- $url := .Values.config.publicUrl | default "" -}}
{{- if not $url -}}
{{- fail "config.publicUrl is required with ingress or httpRoute: the agent card and links name it." -}}
{{- end -}}
{{- if has (urlParse $url).path (list "" "/") | not -}}
{{- fail "config.publicUrl has a path, but the chart's ingress and httpRoute serve the root of a host: make a route of your own that strips the path." -}}
{{- end -}}
{{- $known := append (default (list) .Values.config.allowedHosts) (include "nightjar.publicHost" .) -}}
{{- range $hosts -}}
{{- if not (has . $known) -}}
{{- fail (printf "The route's host %s is neither config.publicUrl's nor in config.allowedHosts: the gateway would refuse it." .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
