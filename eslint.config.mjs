import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * Who may import whom. Every folder of src has a row: the folders it may import besides itself and
 * the leaves. A broken arrow is a failed build, and test/repo/zones.spec.ts proves that it is.
 */
const LEAVES = ['domain', 'config', 'metrics', 'tracing'];
const ZONES = {
  config: [],
  domain: [],
  metrics: [],
  tracing: ['domain', 'config'],
  redis: [],
  outbound: ['domain', 'tracing'],
  auth: ['redis', 'store', 'audit', 'outbound'],
  audit: ['store', 'redis'],
  tenant: ['auth', 'store'],
  store: ['redis', 'assistant'],
  streams: ['redis', 'store', 'health'],
  assistant: ['outbound'],
  push: ['store', 'redis', 'health', 'tenant', 'outbound'],
  execution: ['audit', 'assistant', 'streams', 'store', 'push', 'tenant', 'redis', 'health'],
  tasks: [
    'audit',
    'execution',
    'assistant',
    'streams',
    'store',
    'tenant',
    'push',
    'health',
    'outbound',
  ],
  protocols: ['tasks', 'tenant', 'auth', 'health'],
  health: ['redis', 'auth'],
  admin: ['audit', 'redis', 'auth', 'tenant', 'tasks', 'store', 'health', 'protocols'],
  cli: ['redis', 'store', 'auth', 'tenant', 'admin', 'assistant'],
};
const folders = Object.keys(ZONES);

const zones = folders.flatMap((folder) => {
  const allowed = new Set([folder, ...ZONES[folder]]);
  if (!LEAVES.includes(folder)) LEAVES.forEach((leaf) => allowed.add(leaf));
  if (folder === 'metrics') allowed.add('domain');
  return [
    {
      target: `./src/${folder}`,
      from: folders.filter((other) => !allowed.has(other)).map((other) => `./src/${other}`),
      message: `${folder}/ may import only: ${[...allowed].join(', ')} (see the table in eslint.config.mjs)`,
    },
  ];
});

const PROTOCOLS = ['a2a-v1', 'a2a-v03', 'mcp'];
const protocolZones = PROTOCOLS.map((protocol) => ({
  target: `./src/protocols/${protocol}`,
  from: PROTOCOLS.filter(
    (other) => other !== protocol && !(protocol === 'a2a-v03' && other === 'a2a-v1'),
  ).map((other) => `./src/protocols/${other}`),
  message: 'One protocol never imports another (a2a-v03 uses a2a-v1’s handler object).',
}));

export default defineConfig(
  { ignores: ['dist/**', 'coverage/**', 'node_modules/**', 'bench/out/**', 'interop/**'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { 'import-x': importX },
    settings: {
      'import-x/extensions': ['.ts'],
      'import-x/resolver-next': [createTypeScriptImportResolver({ project: './tsconfig.json' })],
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      'import-x/no-cycle': 'error',
      'import-x/no-default-export': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { ignoreRestSiblings: true, argsIgnorePattern: '^_' },
      ],
      curly: ['error', 'multi-line'],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/main.ts', 'src/app.module.ts'],
    rules: {
      'import-x/no-restricted-paths': [
        'error',
        { basePath: import.meta.dirname, zones: [...zones, ...protocolZones] },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/redis/**', 'src/**/redis-*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'ioredis', message: 'Redis is spoken in src/redis and redis-*.ts only.' },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config/**', 'src/cli/**', 'src/main.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/config reads the environment.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'src/**/*.spec.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);
