import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { eventually } from './rounds.js';
import { request, type Service, startService } from './service.js';

interface Report {
  status: string;
  checks: Record<string, string>;
}

/** A small disk of its own; undefined where this user may not mount one. */
function mountDisk(megabytes: number): { path: string; unmount(): void } | undefined {
  const path = mkdtempSync(join(tmpdir(), 'slipway-disk-'));
  const unmount = () => {
    spawnSync('umount', [path]);
    rmSync(path, { recursive: true, force: true });
  };
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
  if (status === 0) return { path, unmount };
  unmount();
  return undefined;
}

/** Takes all the room there is; answers what gives it back. */
function fill(path: string): () => void {
  const file = join(path, 'filler');
  const filler = openSync(file, 'w');
  // The service writes too, meanwhile: how much room there is, only a refusal tells.
  for (let size = 1 << 20; size >= 1; ) {
    try {
      writeSync(filler, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      size >>= 1;
    }
  }
  closeSync(filler);
  return () => rmSync(file);
}

const airdrop = (service: Service) =>
  request(`${service.url}/sandbox/airdrop`, { body: { wallet: generateKeypair().address, amount: '1000000000' } });
const FULL = /the disk is full$/;
/** What was found is kept for a second. The files and the chain are tried one after the other, each again and again. */
const readinessWith = (status: number, service: Service, says: RegExp) =>
  eventually(`readiness is ${status}`, async () => {
    const answer = await request<Report>(`${service.url}/readyz`);
    const { files = '', chain = '' } = answer.body.checks;
    return answer.status === status && says.test(files) && says.test(chain) ? answer : undefined;
  });

it('a full disk makes an instance not ready, says what cannot write, and is over when there is room', async (t) => {
  const disk = mountDisk(128);
  if (disk === undefined) return t.skip('this user may not mount a file system');
  const dataDir = join(disk.path, 'data');
  mkdirSync(dataDir);
  const service = await startService({ dataDir }).catch((error) => {
    disk.unmount();
    throw error;
  });
  t.after(async () => {
    await service.close();
    disk.unmount();
  });
  assert.equal((await airdrop(service)).status, 200);

  const empty = fill(disk.path);
  const full = await readinessWith(503, service, FULL);
  assert.equal(full.body.checks.files, 'failed: The data folder takes no writes: the disk is full');
  assert.match(full.body.checks.chain!, /the chain cannot write to its data folder: the disk is full$/);
  // The last blocks of the files have room for a few.
  let refused = await airdrop(service);
  for (let count = 0; count < 100 && refused.status === 200; count += 1) refused = await airdrop(service);
  assert.equal(refused.status, 503, JSON.stringify(refused.body));
  assert.match(JSON.stringify(refused.body), /the chain cannot write to its data folder: the disk is full/);

  empty();
  await readinessWith(200, service, /^ok$/);
  assert.equal((await airdrop(service)).status, 200);
});
