import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** One instruction, its line continuations joined. */
interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** What the last stage says about how to run the image. */
export interface ImageConfig {
  /** The folder that stands for `/` of the image. */
  readonly root: string;
  readonly workdir: string;
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly healthcheck: readonly string[];
}

interface Stage {
  root: string;
  workdir: string;
  user: string;
  env: Record<string, string>;
  labels: Record<string, string>;
  entrypoint: string[];
  cmd: string[];
  healthcheck: string[];
}

/**
 * Runs a Dockerfile's instructions on this machine, each stage in an empty folder below `dir`: COPY
 * copies (from the context only what its .dockerignore lets through), RUN runs in a shell. The base
 * image is this machine. Knows the instructions of docker/Dockerfile and throws on any other.
 */
export async function buildImage(context: string, file: string, dir: string): Promise<ImageConfig> {
  const instructions = parseDockerfile(await readFile(join(context, file), 'utf8'));
  const allowed = await allowList(join(context, `${file}.dockerignore`));
  const stages = new Map<string, Stage>();
  const args: Record<string, string> = {};
  let stage: Stage | undefined;
  for (const { name, text } of instructions) {
    if (name === 'ARG') {
      const [key = '', value = ''] = text.split('=');
      args[key] = value;
      continue;
    }
    if (name === 'FROM') {
      const alias = / AS (\S+)$/.exec(text)?.[1] ?? 'image';
      stage = empty(join(dir, alias));
      await mkdir(stage.root, { recursive: true });
      stages.set(alias, stage);
      continue;
    }
    if (stage === undefined) throw new Error(`${name} before FROM`);
    await apply(stage, name, filled(text, args), { context, allowed, stages });
  }
  if (stage === undefined) throw new Error('no FROM');
  return stage;
}

interface Build {
  readonly context: string;
  readonly allowed: ReadonlySet<string>;
  readonly stages: ReadonlyMap<string, Stage>;
}

async function apply(stage: Stage, name: string, text: string, build: Build): Promise<void> {
  const pair = (): [string, string] => {
    const at = text.indexOf('=');
    return [text.slice(0, at), text.slice(at + 1).replace(/^"(.*)"$/, '$1')];
  };
  switch (name) {
    case 'WORKDIR':
      stage.workdir = join(stage.root, text);
      await mkdir(stage.workdir, { recursive: true });
      return;
    case 'ENV': {
      const [key, value] = pair();
      stage.env[key] = value;
      return;
    }
    case 'LABEL': {
      const [key, value] = pair();
      stage.labels[key] = value;
      return;
    }
    case 'USER':
      stage.user = text;
      return;
    case 'EXPOSE':
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = JSON.parse(text) as string[];
      return;
    case 'CMD':
      stage.cmd = JSON.parse(text) as string[];
      return;
    case 'HEALTHCHECK':
      stage.healthcheck = JSON.parse(text.slice(text.indexOf('CMD ') + 4)) as string[];
      return;
    case 'COPY':
      await copy(stage, text.split(/\s+/), build);
      return;
    case 'RUN':
      await shell(text, stage);
      return;
    default:
      throw new Error(`docker/Dockerfile has ${name}, which this build does not know`);
  }
}

async function copy(stage: Stage, words: readonly string[], build: Build): Promise<void> {
  const from = /^--from=(.+)$/.exec(words[0] ?? '')?.[1];
  const paths = from === undefined ? [...words] : words.slice(1);
  const target = paths.pop() ?? '';
  const source = from === undefined ? undefined : build.stages.get(from);
  for (const path of paths) {
    if (source === undefined && !build.allowed.has(path)) {
      throw new Error(`COPY ${path}: the .dockerignore leaves it out`);
    }
    const at = join(source?.root ?? build.context, path);
    const folder = (await stat(at)).isDirectory();
    // A folder's content goes into the target, a file goes below a target that ends with /.
    const to = join(stage.workdir, target, !folder && target.endsWith('/') ? basename(path) : '');
    await mkdir(folder ? to : dirname(to), { recursive: true });
    await cp(at, to, { recursive: true, verbatimSymlinks: true });
  }
}

async function shell(command: string, stage: Stage): Promise<void> {
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: stage.workdir,
    env: { ...process.env, ...stage.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      written += chunk.toString();
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) {
    throw new Error(`RUN ${command}: exit code ${String(code)}\n${written.slice(-3000)}`);
  }
}

function empty(root: string): Stage {
  return {
    root,
    workdir: root,
    user: '',
    env: {},
    labels: {},
    entrypoint: [],
    cmd: [],
    healthcheck: [],
  };
}

function parseDockerfile(text: string): Instruction[] {
  return text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.indexOf(' ');
      return { name: line.slice(0, at), text: line.slice(at + 1).trim() };
    });
}

function filled(text: string, args: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)\}/g, (_all, name: string) => args[name] ?? '');
}

/** The file must begin with `*`: then only what it names with ! is in the context. */
async function allowList(path: string): Promise<Set<string>> {
  const [first, ...rest] = (await readFile(path, 'utf8'))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (first !== '*') throw new Error(`${path} must leave out everything first`);
  return new Set(rest.map((line) => line.replace(/^!/, '')));
}
