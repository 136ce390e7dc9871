import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
}

interface Package {
  manifest: Manifest;
  /** Path of the tarball. */
  tarball: () => string;
}

/** What npm asks for packages, without a network: ours as they are packed, and those installed in this repository. */
export interface Registry {
  /** Settings of npm under which it asks nobody else. */
  env: Record<string, string>;
  close(): Promise<void>;
}

export async function startRegistry(tarballs: readonly string[]): Promise<Registry> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-registry-'));
  const packages = new Map<string, Map<string, Package>>();
  for (const each of [...installed(folder), ...tarballs.map(packed)]) {
    const { name, version } = each.manifest;
    packages.set(name, (packages.get(name) ?? new Map()).set(version, each));
  }
  const server = createServer(({ url = '' }, response) => {
    const [name = '', version] = decodeURIComponent(url.slice(1)).split('/-/');
    const versions = packages.get(name);
    if (versions === undefined) response.writeHead(404).end('{}');
    else if (version !== undefined) createReadStream(versions.get(version)!.tarball()).pipe(response);
    else answer(response, name, versions, `${base()}/${encodeURIComponent(name)}/-/`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = {
    npm_config_registry: base(),
    npm_config_cache: join(folder, 'cache'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_yes: 'true',
  };
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    rmSync(folder, { recursive: true, force: true });
  };
  return { env, close };
}

function answer(response: ServerResponse, name: string, versions: Map<string, Package>, base: string): void {
  const latest = [...versions.keys()].at(-1);
  const all = [...versions].map(([version, { manifest }]) => [
    version,
    { ...manifest, dist: { tarball: base + version } },
  ]);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(all) }));
}

function packed(tarball: string): Package {
  const text = execFileSync('tar', ['-xOzf', tarball, 'package/package.json'], { encoding: 'utf8' });
  return { manifest: JSON.parse(text), tarball: () => tarball };
}

/** What the lockfile has and npm has installed, but for what is ours. */
function installed(folder: string): Package[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const packages: Record<string, { version: string; link?: true }> = lock.packages;
  /** As Node finds it: the nearest. */
  const versionFor = (path: string, name: string): string | undefined => {
    for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      const found = packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`];
      if (found) return found.version;
      if (at === '') return undefined;
    }
  };
  const paths = Object.keys(packages).filter((path) => path.includes('node_modules/') && !packages[path]!.link);
  return paths
    .filter((path) => existsSync(join(ROOT, path)))
    .map((path) => {
      const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8'));
      // Nothing but what is installed can be had, also where the lockfile overrides a range.
      const dependencies = Object.fromEntries(
        Object.entries(manifest.dependencies ?? {}).map(([name, range]) => [name, versionFor(path, name) ?? range]),
      );
      const file = join(folder, `${manifest.name.replace('/', '-')}-${manifest.version}.tar`);
      return { manifest: { ...manifest, dependencies }, tarball: () => packInstalled(join(ROOT, path), file) };
    });
}

function packInstalled(source: string, file: string): string {
  const args = ['-cf', file, '--exclude', './node_modules', '--transform', 's,^\\.,package,', '-C', source, '.'];
  if (!existsSync(file)) execFileSync('tar', args);
  return file;
}
