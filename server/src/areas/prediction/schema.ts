import { type Static, Type } from 'typebox';

const MAX_ID = 200;

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
const EventId = Type.String({
  minLength: 1,
  maxLength: MAX_ID,
  pattern: '^[^\\u0000\\p{Cs}]*$',
  description: 'text without NUL characters',
});

export const ScoreParams = Type.Object({ eventId: EventId });
export type ScoreParams = Static<typeof ScoreParams>;

/** The ids are checked one by one when the list is split. */
export const ScoresQuery = Type.Object({
  eventIds: Type.String({ minLength: 1, description: 'Up to 100 event ids, separated by commas' }),
});
export type ScoresQuery = Static<typeof ScoresQuery>;

const Text = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });
const Time = (description: string) => Type.String({ format: 'date-time', description });

export const GameScore = Type.Object(
  {
    eventId: Type.String(),
    gameId: Type.String(),
    live: Type.Boolean({ description: 'The game is in progress; a break in it counts' }),
    ended: Type.Boolean(),
    updatedAt: Time('When the game came to this state. Never goes back'),
    leagueAbbreviation: Text('Such as fifwc, nba, atp or cs2'),
    homeTeam: Text('Name or abbreviation'),
    awayTeam: Text('Name or abbreviation'),
    score: Text('As the provider writes it: 2-0, 4-6, 1-2 or 000-000|2-0|Bo3'),
    period: Text('As the provider writes it: 2H, HT, 4Q, S2, 2/3, FT'),
    elapsed: Text('Time in the game or in the period, as the provider writes it: 90 or 5:18'),
    status: Text('As the provider writes it: InProgress, Final, running, finished'),
    finishedTimestamp: Type.Optional(Time('When the game ended; only where it has')),
  },
  { $id: 'GameScore' },
);
export type GameScore = Static<typeof GameScore>;

export const ScoreAnswer = Type.Unsafe<GameScore | null>({
  anyOf: [{ $ref: 'GameScore#' }, { type: 'null' }],
  description: 'The score, or null where nothing is known of the event',
});

export const ScoresAnswer = Type.Unsafe<{ data: GameScore[] }>({
  $id: 'GameScores',
  type: 'object',
  properties: { data: { type: 'array', items: { $ref: 'GameScore#' } } },
  required: ['data'],
});
