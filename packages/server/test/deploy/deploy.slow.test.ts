// The files of deploy/, as far as they can be held to something without a container: what they say fits the code, and
// the commands of the image, run in folders in place of its layers, give a service that answers.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { OPERATION_LIST } from '../../src/api/operations.ts';
import { metricsTable } from '../../src/metrics/table.ts';
import { readSettings, SETTINGS } from '../../src/settings/settings.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const FOLDER = join(ROOT, 'packages/server/deploy');
const text = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const NAMES = new Set<string>(Object.values(SETTINGS).map(({ name }) => name));

/** One instruction of a Dockerfile, its line breaks taken out. */
interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** Stages by name, the last one as `image`. */
function stagesOf(dockerfile: string): Map<string, Instruction[]> {
  const lines = dockerfile
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter(Boolean);
  const stages = new Map<string, Instruction[]>();
  let open: Instruction[] = [];
  for (const line of lines) {
    const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (word === 'FROM') stages.set(/ AS (\S+)$/.exec(rest)?.[1] ?? 'image', (open = []));
    open.push({ word, rest });
  }
  return stages;
}

const STAGES = stagesOf(text('Dockerfile'));
const image = STAGES.get('image') ?? [];
const valueOf = (word: string): string => image.findLast((one) => one.word === word)?.rest ?? '';
const environment = Object.fromEntries(
  valueOf('ENV')
    .split(' ')
    .map((pair) => pair.split('=') as [string, string]),
);
/** A command as it stands in exec form, which no shell comes between and signals reach. */
const command = (rest: string): string[] => JSON.parse(rest.slice(rest.indexOf('['))) as string[];

const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  devDependencies: Record<string, string>;
};

describe('the Dockerfile', () => {
  it('has the Node of the project in every stage', () => {
    for (const [from] of STAGES.values())
      expect(from?.rest.split(' ')[0]).toBe(`node:${devDependencies['node']}-bookworm-slim`);
  });

  it('runs as a user without rights, by a command that signals reach', () => {
    expect(valueOf('USER')).toBe('node');
    expect(image.findIndex(({ word }) => word === 'USER')).toBeGreaterThan(
      image.findLastIndex(({ word }) => word === 'RUN' || word === 'COPY'),
    );
    expect(command(valueOf('CMD'))[0]).toBe('node');
    expect(command(valueOf('HEALTHCHECK'))[0]).toBe('node');
  });

  it('sets settings that there are, and opens the port that it sets', () => {
    const { NODE_ENV, ...settings } = environment;
    expect(NODE_ENV).toBe('production');
    expect(Object.keys(settings).filter((name) => !NAMES.has(name))).toEqual([]);
    expect(valueOf('EXPOSE')).toBe(settings['PORT']);
    expect(valueOf('VOLUME')).toBe(settings['DATA_DIR']);
  });

  it('leaves everything out of the build that it makes by itself', () => {
    const ignored = text('Dockerfile.dockerignore').split('\n');
    for (const name of ['.git', '**/node_modules', '**/dist']) expect(ignored).toContain(name);
  });
});

describe('the commands of the image', () => {
  const layers = mkdtempSync(join(tmpdir(), 'grainline-image-'));
  afterAll(() => rmSync(layers, { recursive: true, force: true }));

  /** The stage `build` is this checkout, which is built already. */
  const folderOf = (stage: string): string => (stage === 'build' ? ROOT : join(layers, stage));

  /** Copies as the builder does: into a folder when the target ends in a slash or there are several sources. */
  function copy(rest: string, to: string): void {
    const [, stage, paths = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? [];
    const words = paths.split(' ');
    const target = words.pop() ?? '';
    for (const word of words) {
      const from = stage === undefined ? ROOT : folderOf(stage);
      const source = join(from, word.replace(/^\/(?:source|app)\//, ''));
      const isFolder = target.endsWith('/') || words.length > 1;
      const place = join(to, target, isFolder ? basename(source) : '');
      mkdirSync(dirname(place), { recursive: true });
      cpSync(source, place, {
        recursive: true,
        verbatimSymlinks: true,
        // The context of the build has none of these; what another stage made is taken as it is.
        filter: (path) => stage !== undefined || !/\/(?:node_modules|dist|peers)$/.test(path),
      });
    }
  }

  function make(stage: string): string {
    const folder = folderOf(stage);
    mkdirSync(folder, { recursive: true });
    for (const { word, rest } of STAGES.get(stage) ?? []) {
      if (word === 'COPY') copy(rest, folder);
      // The base image brings other folders and users.
      if (word === 'RUN' && !rest.startsWith('install --directory'))
        execFileSync('sh', ['-c', rest.replace('npm ci', 'npm ci --prefer-offline --no-audit')], {
          cwd: folder,
          stdio: ['ignore', 'ignore', 'inherit'],
        });
    }
    return folder;
  }

  it('give a service that answers, is healthy, and ends when it is asked to', async () => {
    if (!existsSync(join(ROOT, 'packages/server/dist/bin.js'))) throw new Error('Run `npm run build` first.');
    make('dependencies');
    const folder = make('image');
    expect(existsSync(join(folder, 'node_modules/pg'))).toBe(true);
    expect(existsSync(join(folder, 'node_modules/vitest'))).toBe(false);

    const env = {
      PATH: process.env['PATH'] ?? '',
      ...environment,
      PORT: String(await freePort()),
      HOST: '127.0.0.1',
      DATA_DIR: join(layers, 'data'),
      PAYMENTS: 'off',
      OCR: 'tesseract',
      LOG_LEVEL: 'error',
    };
    const [node = '', ...parameters] = command(valueOf('CMD'));
    const service = spawn(node, parameters, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(service, 'exit');
    try {
      await once(createInterface(service.stdout), 'line');
      const [, ...check] = command(valueOf('HEALTHCHECK'));
      execFileSync(node, check, { cwd: folder, env });
      const form = new FormData();
      form.append('file', new Blob(['# Tides\n\nHigh water follows the moon.']), 'tides.md.txt');
      const answer = await fetch(`http://127.0.0.1:${env.PORT}/chunk/structure`, {
        method: 'POST',
        body: form,
      });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ success: true, tier: 'structure' });
    } finally {
      service.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
    expect(() =>
      execFileSync(node, command(valueOf('HEALTHCHECK')).slice(1), { env, stdio: 'ignore' }),
    ).toThrow();
  }, 240_000);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Settings of an environment are known, and sound together with those of the image. */
function expectSound(given: Readonly<Record<string, string>>): void {
  expect(Object.keys(given).filter((name) => !NAMES.has(name))).toEqual([]);
  expect(() => readSettings({ ...environment, ...given })).not.toThrow();
}

const SHUTDOWN_S = Number(SETTINGS.shutdownMs.default) / 1000;

describe('the compose file', () => {
  const { services, volumes } = parse(text('compose.yaml')) as {
    services: Record<'server' | 'database', Record<string, unknown>>;
    volumes: object;
  };
  const { server, database } = services;

  /** The environment of the server where the shell has these variables. */
  const filledWith = (shell: Readonly<Record<string, string>>): Record<string, string> => {
    const given = server['environment'] as Record<string, string>;
    const filled = Object.entries(given).map(([name, value]) => [
      name,
      value.replaceAll(
        /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)\}/g,
        (_, variable: string, fallback: string | undefined) => shell[variable] ?? fallback ?? 'x',
      ),
    ]);
    return Object.fromEntries(filled) as Record<string, string>;
  };

  it('gives the server settings that there are', () => {
    expectSound(filledWith({}));
  });

  it('sells when what its first lines say is set', () => {
    const [, name = '', value = ''] = /To sell, set (\w+)=(\w+) and PAY_TO/.exec(text('compose.yaml')) ?? [];
    const payTo = 'BdbysgCL99aBhcfzGBhACZ739DMQD5bAq6EPD4779NAn';
    const selling = readSettings({ ...environment, ...filledWith({ [name]: value, PAY_TO: payTo }) });
    expect(selling).toMatchObject({ payments: 'on', payTo });
    expect(readSettings({ ...environment, ...filledWith({}) })).toMatchObject({ payments: 'off' });
  });

  it('builds from this repository, writes nowhere, and waits for the database', () => {
    const { context, dockerfile } = server['build'] as { context: string; dockerfile: string };
    expect(existsSync(join(FOLDER, context, dockerfile))).toBe(true);
    expect(server).toMatchObject({
      read_only: true,
      depends_on: { database: { condition: 'service_healthy' } },
    });
    expect(database['healthcheck']).toBeDefined();
    expect(volumes).toHaveProperty('database');
  });

  it('gives it time to end', () => {
    expect(parseInt(String(server['stop_grace_period']), 10)).toBeGreaterThan(SHUTDOWN_S);
  });
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Record<string, string>;
  readonly stringData?: Record<string, string>;
  readonly spec?: {
    readonly replicas?: number;
    readonly minAvailable?: number;
    readonly selector: Record<string, unknown>;
    readonly template: { readonly metadata: { readonly labels: object }; readonly spec: PodSpec };
  };
}

interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: object;
  readonly volumes: readonly { readonly name: string }[];
  readonly containers: readonly [Container];
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold?: number;
}

interface ScaledObject {
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string };
    readonly minReplicaCount: number;
    readonly maxReplicaCount: number;
    readonly triggers: readonly [
      { readonly metadata: Readonly<Record<'url' | 'valueLocation' | 'targetValue', string>> },
    ];
  };
}

interface Container {
  readonly image: string;
  readonly command?: readonly string[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

describe('the Kubernetes manifest', () => {
  const documents = parseAllDocuments(text('kubernetes.yaml'));
  const manifests = documents.map((document) => document.toJS() as Manifest);
  const find = (kind: string): Manifest => {
    const found = manifests.find((manifest) => manifest.kind === kind);
    if (found === undefined) throw new Error(`It has no ${kind}.`);
    return found;
  };
  const { template, selector } = find('Deployment').spec ?? {};
  const pod = template?.spec;
  const [container] = pod?.containers ?? [];

  it('is YAML without faults, of which every part finds the others', () => {
    for (const { errors } of documents) expect(errors).toEqual([]);
    const labels = template?.metadata.labels;
    expect(selector?.['matchLabels']).toEqual(labels);
    expect(find('Service').spec?.selector).toEqual(labels);
    expect(find('PodDisruptionBudget').spec?.selector['matchLabels']).toEqual(labels);
    const names = pod?.volumes.map(({ name }) => name);
    expect(container?.volumeMounts.map(({ name }) => name)).toEqual(names);
    expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toContain(environment['DATA_DIR']);
  });

  it('gives settings that there are', () => {
    expectSound({ ...find('ConfigMap').data, ...find('Secret').stringData });
  });

  it('updates the tables by a job of the same image, which servers wait for', () => {
    const { metadata, spec } = find('Job');
    const { image = '', command: migrate = [] } = spec?.template.spec.containers[0] ?? {};
    expect(image).toBe(container?.image);
    expect(metadata.name).toBe(`grainline-migrate-${image.split(':').at(-1)}`);
    expect(migrate.slice(0, -1)).toEqual(command(valueOf('CMD')));
    expect(migrate.at(-1)).toBe('migrate');
    expect(find('ConfigMap').data).toMatchObject({ DATABASE_MIGRATIONS: 'by-hand' });
  });

  it('scales by a metric that there is, at its address, within the connections of the database', () => {
    const scaled = parse(text('kubernetes-autoscale.yaml')) as ScaledObject;
    const { scaleTargetRef, minReplicaCount, maxReplicaCount, triggers } = scaled.spec;
    const { metadata, spec } = find('Deployment');
    const { data = {} } = find('ConfigMap');
    expect(scaleTargetRef.name).toBe(metadata.name);
    expect(minReplicaCount).toBe(spec?.replicas);
    const [{ metadata: trigger }] = triggers;
    expect(metricsTable()).toContain(`\`${trigger.valueLocation}\``);
    const { hostname, port, pathname } = new URL(trigger.url);
    expect([hostname, port, pathname]).toEqual(['grainline-metrics', data['METRICS_PORT'], '/metrics']);
    const service = manifests.find((manifest) => manifest.metadata.name === hostname);
    expect(service?.spec?.selector).toEqual(template?.metadata.labels);
    expect(container?.ports).toContainEqual({ name: 'metrics', containerPort: Number(port) });
    const concurrency = Number(data['JOB_CONCURRENCY'] ?? SETTINGS.jobConcurrency.default);
    expect(Number(trigger.targetValue)).toBe(2 * concurrency);
    // One more at a rolling restart, and one connection more for notifications.
    const connections = (maxReplicaCount + 1) * (Number(data['DATABASE_CONNECTIONS']) + 1);
    expect(connections).toBeLessThanOrEqual(97);
  });

  it('keeps a server when nodes are emptied', () => {
    const { minAvailable = 0 } = find('PodDisruptionBudget').spec ?? {};
    expect(minAvailable).toBeGreaterThanOrEqual(1);
    expect(minAvailable).toBeLessThan(find('Deployment').spec?.replicas ?? 0);
  });

  it('asks what the service answers, on its port', () => {
    const paths = new Set(OPERATION_LIST.map(({ path }) => path));
    const { startupProbe, livenessProbe, readinessProbe, ports } = container ?? {};
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
      expect(paths).toContain(probe?.httpGet.path);
      expect(probe?.httpGet.port).toBe(ports?.[0]?.name);
    }
    expect(String(ports?.[0]?.containerPort)).toBe(environment['PORT']);
  });

  it('notices a server that leaves while that still serves, and gives it time to end', () => {
    const { periodSeconds = Infinity, failureThreshold = Infinity } = container?.readinessProbe ?? {};
    expect(1000 * periodSeconds * failureThreshold).toBeLessThan(Number(SETTINGS.drainMs.default));
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(SHUTDOWN_S);
  });

  it('gives the process no rights', () => {
    expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(container?.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
    });
  });
});
