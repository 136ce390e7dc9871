import { type Static, Type } from 'typebox';
import { ADMIN_ROLES } from '../../store/admins.js';
import { STOPPABLE } from '../../store/stops.js';

const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC' });
const NullableTimestamp = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' });
const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] });

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
const Text = (limits: { minLength?: number; maxLength: number }) =>
  Type.String({ ...limits, pattern: '^[^\\u0000\\p{Cs}]*$', description: 'text without NUL characters' });

export const IdParams = Type.Object({ id: Text({ minLength: 1, maxLength: 64 }) });
export type IdParams = Static<typeof IdParams>;

export const StopParams = Type.Object({
  what: Type.Enum([...STOPPABLE], { description: 'What is stopped' }),
});
export const ResumeQuery = Type.Object({
  stoppedAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Ends only the stop that began at this time, as it was listed: what was stopped anew since stays stopped.',
    }),
  ),
});
export const StopBody = Type.Object({
  why: Text({ minLength: 1, maxLength: 300 }),
});
export const Stop = Type.Object({
  ...StopParams.properties,
  why: Type.String({ description: 'What clients and operators read about it' }),
  stoppedBy: Type.String({ description: 'The name of the admin' }),
  stoppedAt: Timestamp,
});
export type Stop = Static<typeof Stop>;

const AdminName = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,39}$',
  description: '1 to 40 lower-case letters, digits and hyphens',
});
const Roles = Type.Array(Type.Enum([...ADMIN_ROLES]), {
  minItems: 1,
  maxItems: 4,
  description: 'What the admin may do',
});
export const AdminParams = Type.Object({ name: AdminName });
export const CreateAdminBody = Type.Object({ name: AdminName, roles: Roles });
export const Admin = Type.Object({
  name: Type.String({ description: 'What the record calls the admin' }),
  roles: Roles,
  createdAt: Timestamp,
  revokedAt: NullableTimestamp,
});
export type Admin = Static<typeof Admin>;
export const NewAdmin = Type.Object({
  ...Admin.properties,
  token: Type.String({ description: 'For Authorization: Bearer. It is not stored and cannot be shown again' }),
});
export type NewAdmin = Static<typeof NewAdmin>;

const Sha256 = (description: string) => Type.String({ description: `${description}, in hex` });
const Seq = Type.Integer({ description: '1, 2, 3, without gaps' });
export const ActsPage = Type.Object({
  acts: Type.Array(
    Type.Object({
      seq: Seq,
      prev: Sha256('The hash of the entry before'),
      hash: Sha256('SHA-256 of number, prev and entry'),
      entry: Type.Object(
        {
          at: Type.String({ description: 'ISO 8601, UTC' }),
          who: Type.String({ description: 'The name of the admin' }),
          what: Type.String({ description: 'The method and the path' }),
          requestId: Type.String({ description: 'The id of the request, as in the log' }),
          digest: Sha256('SHA-256 of the body'),
        },
        { description: 'What was asked for' },
      ),
    }),
    { description: 'The entries' },
  ),
  head: Type.Union([Type.Object({ seq: Seq, hash: Sha256('The hash of the last entry') }), Type.Null()], {
    description: 'Where the record ends; null while it is empty',
  }),
});
export type ActsPage = Static<typeof ActsPage>;

export const LoginParams = Type.Object({ wallet: Text({ minLength: 1, maxLength: 64 }) });
export const RevokedLogins = Type.Object({
  wallet: Type.String(),
  revokedAt: Type.String({ format: 'date-time', description: 'Logins that were begun until then are ended' }),
});
export type RevokedLogins = Static<typeof RevokedLogins>;

export const Key = Type.Object({
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: 'The first characters of the key, to recognize it by' }),
  tier: Type.String(),
  prefixes: Type.Array(Type.String(), { description: 'Paths that the key may use begin with one of these; none: all' }),
  origins: Type.Array(Type.String(), {
    description: 'The origins of the pages that the key stands in; none: it is kept secret',
  }),
  createdAt: Timestamp,
  expiresAt: NullableTimestamp,
  revokedAt: NullableTimestamp,
  rotatedFrom: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The id of the key that this one replaces',
  }),
});
export type Key = Static<typeof Key>;

export const NewKey = Type.Object({
  ...Key.properties,
  key: Type.String({ description: 'The key itself. It is not stored and cannot be shown again' }),
});
export type NewKey = Static<typeof NewKey>;

const PathPrefix = Type.String({ pattern: '^/[!-~]*$', maxLength: 200, description: 'a path that begins with /' });

const Origin = Type.String({ maxLength: 300, description: 'an origin such as https://app.example.com' });

export const CreateKeyBody = Type.Object({
  name: Text({ minLength: 1, maxLength: 100 }),
  tier: Type.String({ default: 'free', description: 'A tier of the configuration, or unlimited' }),
  prefixes: Type.Array(PathPrefix, { default: [], maxItems: 50 }),
  origins: Type.Array(Origin, {
    default: [],
    maxItems: 50,
    description:
      'Makes a key that may stand in pages of these origins: it works only from them, each client has the limits of the tier `keyless` and all together those of `tier`, and what belongs to a key, such as its events, it cannot read',
  }),
});
export type CreateKeyBody = Static<typeof CreateKeyBody>;

export const RotateKeyBody = Type.Object({
  overlapSeconds: Type.Integer({
    default: 86_400,
    minimum: 0,
    maximum: 31_536_000,
    description: 'How long the old key still works',
  }),
});
export type RotateKeyBody = Static<typeof RotateKeyBody>;

const VerificationState = Type.Enum(['reserved', 'pending', 'approved', 'rejected']);

export const Verification = Type.Object({
  id: Type.String(),
  tokenId: Type.String(),
  kind: Type.Enum(['verification', 'metadata']),
  state: VerificationState,
  requestId: Type.String(),
  payer: Type.String(),
  twitterHandle: NullableString,
  senderTwitterHandle: NullableString,
  description: NullableString,
  metadata: Type.Unknown(),
  paymentCurrency: Type.String(),
  paymentAmount: Type.String({ description: 'Smallest unit' }),
  signature: NullableString,
  createdAt: Timestamp,
  paidAt: NullableTimestamp,
  decidedAt: NullableTimestamp,
  note: NullableString,
});
export type Verification = Static<typeof Verification>;

export const VerificationsPage = Type.Object({ verifications: Type.Array(Verification), nextCursor: NullableString });
export type VerificationsPage = Static<typeof VerificationsPage>;

export const ListVerificationsQuery = Type.Object({
  state: Type.Optional(VerificationState),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  cursor: Type.Optional(Type.String({ format: 'uuid', description: '`nextCursor` of the page before' })),
});
export type ListVerificationsQuery = Static<typeof ListVerificationsQuery>;

export const DecisionBody = Type.Object({ note: Type.Optional(Text({ maxLength: 1000 })) });
export type DecisionBody = Static<typeof DecisionBody>;

export const EventParams = Type.Object({ eventId: Text({ minLength: 1, maxLength: 200 }) });
export type EventParams = Static<typeof EventParams>;

/** Null: unknown. */
const ScoreText = Type.Unsafe<string | null>({ ...Text({ maxLength: 200 }), type: ['string', 'null'] });

export const ScoreBody = Type.Object({
  gameId: Text({ maxLength: 200 }),
  live: Type.Boolean(),
  ended: Type.Boolean(),
  updatedAt: Timestamp,
  leagueAbbreviation: ScoreText,
  homeTeam: ScoreText,
  awayTeam: ScoreText,
  score: ScoreText,
  period: ScoreText,
  elapsed: ScoreText,
  status: ScoreText,
  finishedTimestamp: Type.Optional(NullableTimestamp),
});
export type ScoreBody = Static<typeof ScoreBody>;

export const Score = Type.Object({
  eventId: Type.String(),
  ...ScoreBody.properties,
  finishedTimestamp: Type.Optional(Timestamp),
});
export type Score = Static<typeof Score>;

export const MakerBody = Type.Object({
  name: Text({ minLength: 1, maxLength: 100 }),
  url: Type.String({
    format: 'uri',
    pattern: '^https?://[^/?#\\s]',
    maxLength: 500,
    description: 'an http or https URL',
  }),
});
export type MakerBody = Static<typeof MakerBody>;

export const Maker = Type.Object({
  id: Type.String(),
  ...MakerBody.properties,
  createdAt: Timestamp,
  suspendedAt: Type.Optional(Timestamp),
  suspendedFor: Type.Optional(
    Type.String({
      description:
        'The signature of a transaction that the maker had rejected and has sent all the same: it is not asked any more until it is removed and registered again',
    }),
  ),
});
export type Maker = Static<typeof Maker>;

export const ListedMaker = Type.Object({
  ...Maker.properties,
  lastAnswer: Type.Optional(
    Type.Object(
      {
        at: Timestamp,
        milliseconds: Type.Integer({ description: 'That the answer took' }),
        offered: Type.Boolean({ description: 'Whether it was an offer' }),
        reason: Type.Optional(Type.String({ description: 'Why there was no offer' })),
      },
      { description: 'What it has answered this copy of the service last, if that has asked it' },
    ),
  ),
});

export const RebuildInvitesBody = Type.Object({});

export const RebuiltInvites = Type.Object({
  done: Type.Boolean({ description: 'false: it goes on, or begins with the next service' }),
  transactions: Type.Integer({ description: 'That are known of the invite program' }),
  unread: Type.Integer({ description: 'Of these, that are not read yet, or that the RPC cannot give' }),
  invites: Type.Integer(),
  open: Type.Integer(),
});
export type RebuiltInvites = Static<typeof RebuiltInvites>;

export const OrderParams = Type.Object({ id: Text({ minLength: 1, maxLength: 100 }) });
export type OrderParams = Static<typeof OrderParams>;

export const OrderExplanation = Type.Object({
  id: Type.String(),
  state: Type.String({ description: 'The raw state' }),
  reasons: Type.Array(Type.String(), { description: 'Why the order has fired or not, in sentences' }),
});
export type OrderExplanation = Static<typeof OrderExplanation>;
