import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { run, SLIPWAY } from './command.js';
import { signerIn } from './signer-process.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEPLOY = join(ROOT, 'deploy');
const read = (...path: string[]) => readFileSync(join(DEPLOY, ...path), 'utf8');
const yaml = <T>(...path: string[]): T => parse(read(...path), { merge: true }) as T;

interface Container {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  env_file?: string;
  volumes?: string[];
  secrets?: string[];
  profiles?: string[];
  depends_on?: string[] | Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  network_mode?: string;
  restart?: string;
  read_only?: boolean;
}

interface Compose {
  services: Record<string, Container>;
  volumes: Record<string, object>;
  secrets: Record<string, { file: string }>;
}

interface SignerSettings {
  file: string;
  callers: Record<string, { roles: string[]; socket: string }>;
}

const compose = yaml<Compose>('compose.yaml');
const { services } = compose;
const copies = ['api-1', 'api-2', 'keeper'];
const settings = JSON.parse(read('slipway.signer.json.example')) as SignerSettings;
/** The two ends of what is mounted, and `ro` where it cannot be written to. */
const mountsOf = ({ volumes = [] }: Container) =>
  volumes.filter((each) => each.includes(':')).map((each) => each.split(':') as [string, string, string?]);
/** What the operator brings, by the table in the page. */
const brought = [...readFileSync(join(ROOT, 'docs', 'deploy.md'), 'utf8').matchAll(/^\| `([\w.]+)` +\|/gm)].map(
  ([, name]) => name!,
);

/** Whether a pattern without anything but stars for parts of a name fits. */
const matches = (path: string, pattern: string) =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`).test(path);

describe('the compose file of production', () => {
  it('mounts what is in the folder, what the page tells to bring, and volumes that it has', () => {
    const files = new Set<string>();
    for (const [name, container] of Object.entries(services)) {
      for (const [source] of mountsOf(container)) {
        if (source.startsWith('./')) files.add(source.slice(2));
        else assert.ok(source in compose.volumes, `${name}: ${source}`);
      }
      for (const secret of container.secrets ?? []) assert.ok(secret in compose.secrets, `${name}: ${secret}`);
      if (container.env_file) files.add(container.env_file);
      const needed = Array.isArray(container.depends_on)
        ? container.depends_on
        : Object.keys(container.depends_on ?? {});
      for (const other of needed) assert.ok(other in services, `${name}: ${other}`);
    }
    for (const { file } of Object.values(compose.secrets)) files.add(file);
    assert.ok(files.size > 8);
    const own = [...files].filter((file) => existsSync(join(DEPLOY, file)));
    const others = [...files].filter((file) => !own.includes(file)).sort();
    assert.deepEqual(others, [...brought].sort());
  });

  it('attack: an operator by mistake builds the image, a package or a commit with his secrets beside this file: none is in it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-compose-'));
    const { copyPages } = (await import(pathToFileURL(join(ROOT, 'scripts', 'pack-service.mjs')).href)) as {
      copyPages(from: string, target: string): void;
    };
    try {
      for (const path of ['deploy', 'docs']) cpSync(join(ROOT, path), join(folder, 'from', path), { recursive: true });
      for (const name of [...brought, 'signer.json']) writeFileSync(join(folder, 'from', 'deploy', name), 'secret');
      copyPages(join(folder, 'from'), join(folder, 'package'));
      const packed = readdirSync(join(folder, 'package', 'deploy')).sort();
      const ours = readdirSync(DEPLOY).filter((name) => !brought.includes(name));
      assert.deepEqual(packed, ours.sort());
      // In the image the package is made of what Docker is given: where that leaves a file out, no layer has it either.
      const patternsIn = (file: string) => readFileSync(join(ROOT, file), 'utf8').split('\n');
      const [docker, git] = [patternsIn('.dockerignore'), patternsIn('.gitignore')];
      for (const name of brought) {
        assert.ok(
          docker.some((each) => matches(`deploy/${name}`, each)),
          `${name} would be given to Docker`,
        );
        assert.ok(
          git.some((each) => matches(`/deploy/${name}`, each)),
          `${name} would be committed`,
        );
      }
      for (const name of packed)
        assert.ok(!docker.some((each) => matches(`deploy/${name}`, each)), `${name} is missing in the image`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('lets each copy reach the signer by the socket of its caller, and by no other', () => {
    for (const name of [...copies, 'operator']) {
      const { environment = {}, ...container } = services[name]!;
      const socket = environment.SLIPWAY_SIGNER_URL!.replace('unix:', '');
      const caller = Object.values(settings.callers).find((each) => each.socket === socket);
      assert.deepEqual(caller?.roles, [environment.SLIPWAY_ROLES ?? 'operator'], name);
      const shared = mountsOf(container).filter(([, target]) => target.startsWith('/run/slipway-signer/'));
      assert.deepEqual(
        shared.map(([, target]) => target),
        [dirname(socket)],
        name,
      );
      assert.ok(
        mountsOf(services.signer!).some(([source, target]) => source === shared[0]![0] && target === dirname(socket)),
      );
    }
    assert.equal(services.signer!.network_mode, 'none');
    assert.ok(!copies.some((name) => mountsOf(services[name]!).some(([source]) => source === 'keys')));
    for (const { socket } of Object.values(settings.callers))
      assert.match(read('Dockerfile'), new RegExp(`/sockets/${dirname(socket).split('/').at(-1)}\\b`));
  });

  it('attack: a copy that was broken into puts a socket of its own in the place of the signer’s, for the other copies: no container but the signer may write where a socket is', () => {
    const folders = Object.values(settings.callers).map(({ socket }) => dirname(socket));
    const mounted = Object.entries(services).flatMap(([name, container]) =>
      mountsOf(container)
        .filter(([source, target]) => source.endsWith('-socket') || target.startsWith('/run/slipway-signer'))
        .map(([, target, mode]) => ({ name, target, mode })),
    );
    for (const { name, target, mode } of mounted) {
      assert.ok(folders.includes(target), `${name}: ${target}`);
      assert.equal(mode, name === 'signer' ? undefined : 'ro', `${name}: ${target}`);
    }
    assert.equal(mounted.length, copies.length + 1 + folders.length);
  });

  it('names the ports that the image listens on, to the proxy and to Prometheus', () => {
    const [, port] = /SLIPWAY_PORT=(\d+)/.exec(read('Dockerfile'))!;
    const [, operations] = /SLIPWAY_OPERATIONS_PORT=(\d+)/.exec(read('Dockerfile'))!;
    const apis = copies.filter((name) => services[name]!.environment!.SLIPWAY_ROLES === 'api');
    assert.match(
      read('caddy', 'Caddyfile'),
      new RegExp(`reverse_proxy ${apis.map((name) => `${name}:${port}`).join(' ')} {\n`),
    );
    interface Prometheus {
      scrape_configs: { static_configs: { targets: string[] }[] }[];
    }
    const { scrape_configs } = yaml<Prometheus>('prometheus', 'prometheus.yml');
    assert.deepEqual(
      scrape_configs[0]!.static_configs[0]!.targets,
      copies.map((name) => `${name}:${operations}`),
    );
    const { datasources } = yaml<{ datasources: { url: string }[] }>(
      'grafana/provisioning/datasources/prometheus.yaml',
    );
    assert.equal(datasources[0]!.url, 'http://prometheus:9090');
    const { providers } = yaml<{ providers: { options: { path: string } }[] }>(
      'grafana/provisioning/dashboards/slipway.yaml',
    );
    assert.ok(mountsOf(services.grafana!).some(([, target]) => dirname(target) === providers[0]!.options.path));
  });

  it('starts again with its machine: what ends well at a shutdown is no failure', () => {
    for (const [name, { restart }] of Object.entries(services)) assert.equal(restart, 'unless-stopped', name);
  });

  it('shows everybody what is published, and no upload', () => {
    const { identities } = JSON.parse(read('objects', 'objects.json.example')) as {
      identities: { name: string; actions: string[] }[];
    };
    const { actions } = identities.find(({ name }) => name === 'anonymous')!;
    // As SeaweedFS compares them: what does not end in a star is a bucket.
    const mayRead = (path: string) =>
      actions.some((action) => action.endsWith('*') && `Read:slipway-uploads/${path}`.startsWith(action.slice(0, -1)));
    for (const path of ['images/a', 'metadata/a.json', 'headers/a']) assert.ok(mayRead(path), path);
    for (const path of ['incoming/images/a', 'imagesque', '']) assert.ok(!mayRead(path), path);
  });

  it('has settings that the service takes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-compose-'));
    try {
      const config = join(folder, 'slipway.config.json');
      writeFileSync(config, '{ "express": { "receiver": "8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2" } }');
      const filled: Record<string, string> = {
        SLIPWAY_CONFIG: config,
        SLIPWAY_ADMIN_TOKEN: 'a-token-of-20-characters',
        SLIPWAY_RPC_URL: 'https://rpc.example.com',
        SLIPWAY_RPC_WS_URL: 'wss://rpc.example.com',
        SLIPWAY_PUBLIC_URL: 'https://api.example.com',
        SLIPWAY_S3_ACCESS_KEY_ID: 'key',
        SLIPWAY_S3_SECRET_ACCESS_KEY: 'secret',
      };
      for (const [uncommented, name] of [true, false].flatMap((all) => copies.map((each) => [all, each] as const))) {
        const lines = read('slipway.env.example').replaceAll(uncommented ? /^# (?=SLIPWAY_)/gm : /^#.*$/gm, '');
        const given = [...lines.matchAll(/^([A-Z_0-9]+)=(.*)$/gm)].map(([, key, value]) => [
          key!,
          filled[key!] ?? value!,
        ]);
        const set = Object.fromEntries(given.filter(([, value]) => value !== ''));
        const env = { ...set, ...services[name]!.environment, SLIPWAY_DATA_DIR: folder };
        const { code, out } = await run(SLIPWAY, ['config'], { cwd: folder, env });
        assert.equal(code, 0, `${name}: ${out}`);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('starts the signer with its settings, and its health check finds out whether it is there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-compose-'));
    const here = (text: string) => text.replaceAll('/run/slipway-signer', folder).replaceAll('/data/', `${folder}/`);
    for (const { socket } of Object.values(settings.callers)) mkdirSync(dirname(here(socket)), { recursive: true });
    writeFileSync(join(folder, 'slipway.signer.json'), here(read('slipway.signer.json.example')), { mode: 0o600 });
    const place = { cwd: folder, env: { SLIPWAY_SIGNER_PASSPHRASE: 'a passphrase of the tests' } };
    const signer = signerIn(place);
    const [, program, ...args] = services.signer!.healthcheck!.test;
    assert.equal(program, 'node');
    const isHealthy = () => spawnSync(process.execPath, args.map(here)).status === 0;
    try {
      const init = await run(SLIPWAY, ['signer', 'init', '--config', 'slipway.signer.json'], place);
      assert.equal(init.code, 0, init.error);
      assert.equal(isHealthy(), false);
      await signer.start();
      assert.equal(isHealthy(), true);
    } finally {
      await signer.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

it('has a proxy, rules and a dashboard that their programs can read', (t) => {
  JSON.parse(read('grafana', 'slipway.json'));
  JSON.parse(read('objects', 'objects.json.example'));
  try {
    execFileSync('promtool', ['check', 'config', '--syntax-only', join(DEPLOY, 'prometheus', 'prometheus.yml')], {
      stdio: 'pipe',
    });
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return t.skip('promtool is not installed');
    throw error;
  }
});

interface Manifest {
  kind: string;
  spec: {
    template?: {
      metadata: { labels: Record<string, string> };
      spec: {
        securityContext: Record<string, unknown>;
        containers: { ports: { name: string }[] }[];
        volumes: { name: string; secret?: { defaultMode: number } }[];
      };
    };
    podSelector?: { matchLabels: Record<string, string> };
    ingress?: { ports: { port: string }[]; from?: { namespaceSelector?: { matchLabels?: object } }[] }[];
  };
}

describe('the manifests for Kubernetes', () => {
  // As Kubernetes reads it: there, 0440 is octal.
  const documents = parseAllDocuments(read('kubernetes', 'slipway.yaml'), { version: '1.1' });
  const manifests = documents.map((each) => each.toJS() as Manifest);
  const pods = manifests.flatMap(({ spec }) => spec.template ?? []);

  it('let the user of the service read the signer file, which is mounted for root and a group', () => {
    assert.equal(pods.length, 2);
    for (const { spec } of pods) {
      const { runAsUser, runAsGroup, fsGroup } = spec.securityContext;
      assert.deepEqual([runAsUser, runAsGroup, fsGroup], [65532, 65532, 65532]);
      assert.ok(spec.volumes.some(({ secret }) => secret?.defaultMode === 0o440));
    }
  });

  it('attack: another user of the cluster calls the port of operations from a pod of his, whatever its labels: only those of namespaces with a label may', () => {
    const [policy, ...others] = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
    assert.equal(others.length, 0);
    const { podSelector, ingress } = policy!.spec;
    for (const { metadata } of pods)
      for (const [name, value] of Object.entries(podSelector!.matchLabels)) assert.equal(metadata.labels[name], value);
    const names = pods.flatMap(({ spec }) => spec.containers.flatMap(({ ports }) => ports.map(({ name }) => name)));
    assert.deepEqual([...new Set(names)].sort(), ['api', 'operations']);
    for (const { ports, from } of ingress!) {
      assert.equal(from === undefined, ports.map(({ port }) => port).join() === 'api', 'only the API is for everybody');
      for (const { namespaceSelector } of from ?? [])
        assert.notDeepEqual(namespaceSelector?.matchLabels ?? {}, {}, 'he makes pods in a namespace of his own');
    }
  });
});
