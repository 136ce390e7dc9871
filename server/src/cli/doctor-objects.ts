import { randomBytes } from 'node:crypto';
import { access, constants } from 'node:fs/promises';
import { type Config, dataFolder } from '../config/index.js';
import { Outage } from '../errors/index.js';
import { createS3Store, INCOMING, type S3Store } from '../objects/index.js';
import type { Check } from './doctor-check.js';

const name = 'uploads';
const SECTION = 'see "Uploads" in docs/operations.md';
const FETCH_MS = 10_000;

/** Whether uploads can be stored. A bucket is tested with two small objects, which are deleted again. */
export async function checkObjects(config: Config): Promise<Check> {
  const settings = config.objects.store;
  if (settings.kind === 'local') return checkFolder(config);
  const where = `the bucket ${settings.bucket}`;
  try {
    const store = createS3Store(settings);
    try {
      const wrong = await tryBucket(store);
      if (wrong) return { name, ok: false, detail: `${where}: ${wrong}`, next: SECTION };
    } finally {
      await store.close();
    }
    return { name, ok: true, detail: `${where} can be written, and read at ${settings.publicUrl}` };
  } catch (error) {
    if (!(error instanceof Outage)) throw error;
    return { name, ok: false, detail: `${where}: ${error.message}`, next: SECTION };
  }
}

async function checkFolder(config: Config): Promise<Check> {
  const folder = dataFolder(config).objects;
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      return { name, ok: false, detail: `${folder} cannot be written`, next: 'give this user the right to' };
    }
  }
  if (config.sandbox || config.store.kind === 'embedded') return { name, ok: true, detail: folder };
  const next = `with more than one copy of the service set SLIPWAY_S3_BUCKET: ${SECTION}`;
  return { name, ok: true, detail: `${folder}, which other copies do not have`, next };
}

/** What is wrong with the bucket, if anything. */
async function tryBucket(store: S3Store): Promise<string | undefined> {
  const key = `images/doctor-${randomBytes(8).toString('hex')}`;
  const keys = [key, INCOMING + key];
  const written: string[] = [];
  const object = { contentType: 'text/plain', bytes: Buffer.from(`slipway doctor ${key}\n`) };
  try {
    for (const each of keys) {
      await store.put(each, object);
      written.push(each);
      const read = await store.get(each, 1_000);
      if (!read || !object.bytes.equals(read.bytes)) return 'what was written does not come back';
    }
    const [visible, hidden] = await Promise.all(keys.map((each) => isPublic(store.publicUrl(each), object.bytes)));
    if (!visible) return 'what is published cannot be read at SLIPWAY_S3_PUBLIC_URL';
    if (hidden) return `everybody can read ${INCOMING}, where uploads lie that nobody has checked`;
  } finally {
    for (const each of written) await store.delete(each);
  }
  return (await store.head(key)) ? 'what was deleted is still there' : undefined;
}

async function isPublic(url: string, bytes: Buffer): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
    return answer.ok && bytes.equals(Buffer.from(await answer.arrayBuffer()));
  } catch {
    return false;
  }
}
