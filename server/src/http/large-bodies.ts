import type { onRequestAsyncHookHandler } from 'fastify';
import { AppError } from '../errors/index.js';
import { FairRoom } from '../lib/fair-room.js';
import { KEYLESS_TIER, UNLIMITED_TIER } from '../lib/tiers.js';
import type { ClientOf } from './client-address.js';
import { rateLimited } from './guards.js';
import type { Payer } from './ports.js';
import { leaveAlso } from './waiting-room.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What its body is counts as further calls: to look at an upload takes long, and to read so much JSON even longer. */
    paysForBody?: keyof typeof BYTES_A_CALL;
  }
  interface FastifyRequest {
    /** For whom the URL of an upload was signed; undefined where there is no such URL. */
    uploader: string | undefined;
  }
}

const KIB = 1024;
const MIB = 1024 * KIB;
const BYTES_A_CALL = { upload: 256 * KIB, json: 64 * KIB };

interface LargeBodiesDeps {
  readonly clientOf: ClientOf;
  /** The most bytes of one of them. */
  readonly largest: number;
}

/**
 * Bounds the bytes of large bodies that are in memory at the same time, and has their senders pay for them. A client
 * without a key is counted by its address, and with the URL of an upload as one of those for whom it was signed: otherwise a few
 * of them could take all that others may upload, of whatever key.
 */
export function createLargeBodies({ clientOf, largest }: LargeBodiesDeps): onRequestAsyncHookHandler {
  const room = new FairRoom(Math.max(64 * MIB, 4 * largest), 1);
  return async (request) => {
    const { bodyLimit, config } = request.routeOptions;
    const announced = Number(request.headers['content-length'] ?? bodyLimit);
    const bytes = Math.min(announced, bodyLimit!);
    if (bytes === 0) return;
    const isCounted = request.payer !== undefined;
    request.payer ??= anonymous(clientOf(request));
    const payer = request.payer;
    if (config.paysForBody) {
      // The call itself has been counted with its key.
      const state = await request.charge(Math.ceil(bytes / BYTES_A_CALL[config.paysForBody]) - (isCounted ? 1 : 0));
      if (state?.allowed === false) throw rateLimited(state, payer.bucket);
    }
    const leave = room.take(bytes);
    if (leave === 'all') {
      throw new AppError('OVERLOADED', { message: 'Too much is being uploaded; try again in a moment' });
    }
    leaveAlso(request, leave);
    if (payer.tier === UNLIMITED_TIER) return;
    const { uploader } = request;
    const guest = uploader === undefined ? payer : { id: `${uploader} ${payer.id}`, together: `upload ${uploader}` };
    const forget = room.countFor(guest, bytes);
    if (forget === 'guest') {
      throw new AppError('RATE_LIMITED', { message: 'Too much of yours is being uploaded; let some of it end' });
    }
    leaveAlso(request, forget);
  };
}

const anonymous = (client: string): Payer => ({
  id: `${KEYLESS_TIER} ${client}`,
  tier: KEYLESS_TIER,
  bucket: 'execute',
  together: KEYLESS_TIER,
});
