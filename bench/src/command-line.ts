import { parseArgs } from 'node:util';

export const MEASUREMENTS = [
  'craft',
  'execute',
  'order',
  'reads',
  'start',
  'signer',
  'studio',
  'quotes',
  'triggers',
  'events',
  'memory',
  'order-memory',
  'growth',
] as const;
export type Measurement = (typeof MEASUREMENTS)[number];

export interface CommandLine {
  measurements: readonly Measurement[];
  /** Of load in each round of crafts. */
  seconds: number;
  rounds: number;
  /** How many crafts, or quotes, the memory is looked at for; of triggers, how many orders the book has. */
  crafts: number;
  json: boolean;
  /** The name that the run is kept under in bench/results. */
  keep: string | undefined;
}

export const USAGE = `Usage: npm run bench -- [craft|execute|order|reads|start|signer|studio|quotes|triggers|events|memory|order-memory|growth] [options]

       npm run bench -- compare <run> <run>
       npm run bench -- table <run>...

Without a name: craft, execute, order, start and quotes. The others run only when they are named; but for signer and studio, they
take minutes.

  --seconds <n>  load in each round of craft, order, reads and studio (3)
  --rounds <n>   rounds, at least 3; of signer, thousands of signatures (5)
  --crafts <n>   crafts of memory, quotes of order-memory, orders of the book of triggers (1000000)
  --keep <name>  keep the run as bench/results/<name>.json; compare tells what moved between two of them
  --json         print the figures as JSON, and nothing else
  --help         show this`;

/** Undefined when only help is wanted. Throws an Error with one line for wrong usage. */
export function parseCommandLine(argv: string[]): CommandLine | undefined {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '5' },
      crafts: { type: 'string', default: '1000000' },
      json: { type: 'boolean', default: false },
      keep: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const { keep } = values;
  if (keep !== undefined && !/^[\w.-]+$/.test(keep))
    throw new Error('--keep takes a name of letters, digits, _, . and -');
  const named = MEASUREMENTS.filter((name) => positionals.includes(name));
  const unknown = positionals.find((name) => !named.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${MEASUREMENTS.join(', ')}`);
  return {
    measurements: named.length > 0 ? named : ['craft', 'execute', 'order', 'quotes', 'start'],
    seconds: whole('--seconds', values.seconds, 1, 60),
    rounds: whole('--rounds', values.rounds, 3, 50),
    crafts: whole('--crafts', values.crafts, 1_000, 10_000_000),
    json: values.json,
    keep,
  };
}

function whole(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d{1,8}$/.test(text) || value < least || value > most) {
    throw new Error(`${flag} must be a whole number from ${least} to ${most}`);
  }
  return value;
}
