import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { registerObjects } from '../areas/objects/index.js';
import { startTestServer } from '../http/testing.js';
import { createLocalStore } from './local-store.js';
import type { ObjectStore } from './object-store.js';
import { createObjects, type Objects } from './objects.js';
import { BUCKET, credentials, REGION, startStrictS3 } from './s3/testing.js';
import { createS3Store } from './s3-store.js';

export const MIB = 1024 * 1024;
export const URL_SECONDS = 900;

interface Stand {
  store: ObjectStore;
  /** Moves the time by which URLs expire. */
  advance(seconds: number): void;
  /** The same store as another process, or the next start, opens it. */
  reopen(): Promise<ObjectStore>;
  close(): Promise<void>;
}

/** The local store behind a server of its own. */
async function openLocal(dir: string): Promise<Stand> {
  let ahead = 0;
  let url = '';
  const clock = { now: () => Date.now() + ahead };
  const secret = 'a-secret-that-nobody-may-see';
  const open = () => createLocalStore({ dir, secret, publicUrl: () => url, clock });
  const store = open();
  const routes = (app: FastifyInstance) => registerObjects(app, { store, maxImageBytes: 5 * MIB });
  const { app } = await startTestServer(routes);
  url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    store,
    reopen: async () => open(),
    advance: (seconds) => {
      ahead += seconds * 1000;
    },
    async close() {
      // Otherwise it waits a minute for the rest of an upload that was refused for its size.
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

/** The S3 store on a strict server. */
async function openS3(dir: string): Promise<Stand> {
  const s3 = await startStrictS3(dir);
  const settings = { bucket: BUCKET, region: REGION, endpoint: s3.endpoint, credentials };
  const open = () => createS3Store({ ...settings, publicUrl: `${s3.endpoint}/${BUCKET}` });
  const store = open();
  return {
    store,
    reopen: async () => open(),
    advance: s3.advance,
    async close() {
      await store.close();
      await s3.close();
    },
  };
}

/** Both stores, each in a folder of its own, for tests that both must pass. */
export const stands = Object.entries({ local: openLocal, s3: openS3 }).map(([kind, open]) => ({
  kind,
  async open() {
    const dir = await mkdtemp(join(tmpdir(), 'slipway-objects-'));
    const stand = await open(dir);
    return {
      ...stand,
      objects: createObjects(stand.store, { maxImageBytes: 5 * MIB, urlSeconds: URL_SECONDS }),
      async close() {
        await stand.close();
        await rm(dir, { recursive: true, force: true });
      },
    };
  },
}));

export type OpenStand = Stand & { objects: Objects };

export const put = (url: string, body: Uint8Array, type: string | null = 'image/png', method = 'PUT') =>
  fetch(url, { method, body, headers: type === null ? {} : { 'content-type': type } });

let serial = 0;
/** A key that no other test uses. */
export const newKey = () => `images/${(++serial).toString().padStart(32, 'A')}`;

/** A PNG of these chunks, with their lengths and checksums. */
export function png(...chunks: [name: string, data: Uint8Array][]): Buffer {
  const parts = chunks.map(([name, data]) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  });
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

/** A gray PNG, stored without compression: about as many bytes as pixels. */
export function noisePng(side: number): Buffer {
  const rows = Buffer.from(
    Array.from({ length: side * (side + 1) }, (_, at) => (at % (side + 1) ? (at * at * 31) & 255 : 0)),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 8;
  return png(['IHDR', header], ['IDAT', deflateSync(rows, { level: 0 })], ['IEND', Buffer.alloc(0)]);
}

/** Images of 8 x 6 pixels as libvips writes them. */
const written = {
  png: [
    'image/png',
    'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAoUlEQVQImQGWAGn/AAAHDhUcIyoxOD9GTVRbYmlwd36FjJOaoQCor7a9xMvS2eDn7vX8AwoRGB8mLTQ7QkkAUFdeZWxzeoGIj5adpKuyucDHztXc4+rxAPj/Bg0UGyIpMDc+RUxTWmFob3Z9hIuSmQCgp661vMPK0djf5u30+wIJEBceJSwzOkEASE9WXWRrcnmAh46VnKOqsbi/xs3U2+LpMT9GibPWhacAAAAASUVORK5CYII=',
  ],
  interlacedPng: [
    'image/png',
    'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAMAAAG+3B9fAAAAkFBMVEWPlp0iKTAVHCMABw7S2eC9xMuor7Z2fYR6gYgzOkFlbHMeJSwJEBff5u38Awrn7vX0+wJhaG9MU1o3PkXb4unGzdQ/Rk2xuL8qMTico6q5wMekq7I7QkkmLTQRGB+LkpmTmqF+hYxpcHdUW2Lj6vHO1dxQV17K0di1vMOgp64NFBuHjpVyeYD4/wZdZGtIT1YAiDYgAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAPklEQVQImQXBgwHAAADAsM62bev/75YgMXH45AObxapXC2I69piUM7tjG6iK7LltU/OcQhQGWsf33leRJfEPdyEEaT1fzHkAAAAASUVORK5CYII=',
  ],
  jpeg: [
    'image/jpeg',
    '/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAGAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAH/xAAcEAACAgMBAQAAAAAAAAAAAAABAgADERMhYZH/xAAVAQEBAAAAAAAAAAAAAAAAAAAAAf/EABURAQEAAAAAAAAAAAAAAAAAAAAB/9oADAMBAAIRAxEAPwC0UC4LpSs4bgK68D0qe/IiIiP/2Q==',
  ],
  progressiveJpeg: [
    'image/jpeg',
    '/9j/4QDQRXhpZgAASUkqAAgAAAAHABIBAwABAAAAAQAAABoBBQABAAAAYgAAABsBBQABAAAAagAAACgBAwABAAAAAgAAABMCAwABAAAAAQAAAJiCAgAHAAAAcgAAAGmHBAABAAAAegAAAAAAAAA4YwAA6AMAADhjAADoAwAAbm9ib2R5AAAGAACQBwAEAAAAMDIxMAGRBwAEAAAAAQIDAACgBwAEAAAAMDEwMAGgAwABAAAA//8AAAKgBAABAAAACAAAAAOgBAABAAAABgAAAAAAAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wgARCAAGAAgDASIAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABUBAQEAAAAAAAAAAAAAAAAAAAAB/9oADAMBAAIQAxAAAAEE/8QAFhABAQEAAAAAAAAAAAAAAAAAAQAR/9oACAEBAAEFAg2//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPwF//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPwF//8QAFxAAAwEAAAAAAAAAAAAAAAAAABEhsf/aAAgBAQAGPwKLD//EABkQAAEFAAAAAAAAAAAAAAAAAAARITFRwf/aAAgBAQABPyFumVYP/9oADAMBAAIAAwAAABD3/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPxB//8QAFREBAQAAAAAAAAAAAAAAAAAAAAH/2gAIAQIBAT8Qj//EABkQAQACAwAAAAAAAAAAAAAAAAERIQBhkf/aAAgBAQABPxAxJRQaDar5n//Z',
  ],
  gif: [
    'image/gif',
    'R0lGODlhCAAGAIUAAExpcaCnrrW8w8rR2HJ5gIeOlQ0UG0hPVl1ka/j/BlBXXs7V3OPq8VRbYmlwd36FjJOaoYuSmREYHyYtNDtCSaSrsrnAx5yjqioxOLG4vz9GTcbN1Nvi6Tc+RUxTWmFob/T7Aufu9fwDCt/m7QkQFx4lLGVsczM6QXqBiHZ9hKivtr3Ey9LZ4AAHDhUcIyIpMI+WnQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACH5BAUAAAAALAAAAAAIAAYAAAYswJYLo2k4HhDVihUSSSYUhQkFq1gWjITh1fF8UpGAYDACkUqnA4JQuGQ2nCAAOw==',
  ],
  animatedGif: [
    'image/gif',
    'R0lGODlhCAAGAIUAAExpcaCnrrW8w8rR2HJ5gIeOlQ0UG0hPVl1ka/j/BlBXXs7V3OPq8VRbYmlwd36FjJOaoYuSmREYHyYtNDtCSaSrsrnAx5yjqioxOLG4vz9GTcbN1Nvi6Tc+RUxTWmFob/T7Aufu9fwDCt/m7QkQFx4lLGVsczM6QXqBiHZ9hKivtr3Ey9LZ4AAHDhUcIyIpMI+WnQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACH/C05FVFNDQVBFMi4wAwEAAAAh+QQFBQAAACwAAAAACAAGAAAGLMCWC6NpOB4Q1YoVEkkmFIUJBatYFoyE4dXxfFKRgGAwApFKpwOCULhkNpwgACH5BAUFAAAALAAAAAAIAAYAAAYswBCpdDogCIVLZsMJtVwYTcPxgKhWrJBIMqEoTChYxbJgiAyvjueTigQEgyAAOw==',
  ],
  lossyWebp: [
    'image/webp',
    'UklGRkAAAABXRUJQVlA4IDQAAACQAQCdASoIAAYAB0CWJYwAAppm/DAA+hDwbF4ifV4Gb/pr14ilCTZK4MPN3fYAZsxhAAAA',
  ],
  losslessWebp: ['image/webp', 'UklGRioAAABXRUJQVlA4TB4AAAAvB0ABAM1lRP8DRNo2cArmn07o0RVM/hzEBLDsuAE='],
  alphaWebp: [
    'image/webp',
    'UklGRkQBAABXRUJQVlA4WAoAAAAYAAAABwAABQAAQUxQSBkAAAABuYzof4AsG4nitvPnOpifniBiAiaA2rkBAFZQOCAuAAAA0AEAnQEqCAAGAAdAliWcAvzg9Fc7GOwAzKFXame+Mo6l3Ut87dD8g8SJw9twAEVYSUbOAAAARXhpZgAASUkqAAgAAAAHABIBAwABAAAAAQAAABoBBQABAAAAYgAAABsBBQABAAAAagAAACgBAwABAAAAAgAAABMCAwABAAAAAQAAAJiCAgAHAAAAcgAAAGmHBAABAAAAegAAAAAAAAA4YwAA6AMAADhjAADoAwAAbm9ib2R5AAAGAACQBwAEAAAAMDIxMAGRBwAEAAAAAQIDAACgBwAEAAAAMDEwMAGgAwABAAAA//8AAAKgBAABAAAACAAAAAOgBAABAAAABgAAAAAAAAA=',
  ],
  animatedWebp: [
    'image/webp',
    'UklGRsYAAABXRUJQVlA4WAoAAAACAAAABwAABQAAQU5JTQYAAAD/////AABBTk1GSAAAAAAAAAAAAAcAAAUAADIAAAJWUDggMAAAAJABAJ0BKggABgAHQJYllAACmmb8MAD6EPBsXiJ9XgZv+mvXiKUJNkrgw83d2wgAAEFOTUZKAAAAAAAAAAAABgAABQAAMgAAAFZQOCAyAAAA1AEAnQEqBwAGAAAAliWUAAKc4/keiQAA9Az1KrbDurboeGCE5stTLR23XizjBViAAAA=',
  ],
} as const;

export const samples = Object.fromEntries(
  Object.entries(written).map(([name, [type, text]]) => [
    name,
    { contentType: type, bytes: Buffer.from(text, 'base64') },
  ]),
) as Record<keyof typeof written, { contentType: (typeof written)[keyof typeof written][0]; bytes: Buffer }>;
