import { relative } from 'node:path';
import {
  type AccountSource,
  openAccountSource,
  type PulledFile,
  type PulledProgram,
  pulledPath,
  writePulled,
} from '@slipway/localnet';
import { LOCKER_PROGRAM, readProgram, STAND_INS, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, METADATA_PROGRAM } from '@slipway/wire';
import { allVenues } from '../routing/aggregator/index.js';
import { type CommandContext, CommandError, type Result } from './context.js';
import { type PulledPool, pullPool, pullProgram } from './pull.js';

/** A program's code is some megabytes. */
const TIMEOUT_MS = 60_000;
/** What launches and migrations need besides the venues. */
const STUDIO_PROGRAMS = [METADATA_PROGRAM, LOCKER_PROGRAM];

/** Reads everything before it writes anything: a pull that fails leaves the folder as it was. */
export async function copyPrograms(
  context: CommandContext,
  { url, folder, pools }: { url: string; folder: string; pools: readonly Address[] },
): Promise<Result> {
  const say = (progress: string) => context.stderr(context.json ? JSON.stringify({ progress }) : progress);
  const source = openAccountSource({ url, timeoutMs: TIMEOUT_MS, log: say });
  const venues = allVenues({ tokenSwap: TOKEN_SWAP_PROGRAM });
  const found: PulledPool[] = [];
  for (const [index, address] of pools.entries()) {
    const pool = await pullPool(source, venues, address);
    say(`${index + 1}/${pools.length} ${address} (${pool.label}): ${pool.accounts.length} accounts`);
    found.push(pool);
  }
  const accounts = new Map(found.flatMap((pool) => pool.accounts).map((account) => [account.address, account]));
  const ofVenues = venues.map(({ program }) => program).filter((program) => program !== TOKEN_SWAP_PROGRAM);
  const all = [...ofVenues, ...STUDIO_PROGRAMS];
  const wanted = new Set(pools.length > 0 ? found.flatMap((pool) => pool.programs) : all);
  const programs: PulledProgram[] = [];
  for (const address of wanted) {
    const program = await pullReal(source, address).catch((error) => {
      // Not every cluster has every venue, but the programs of a requested pool must exist.
      if (pools.length > 0 || !(error instanceof CommandError)) throw error;
      return error;
    });
    say(program instanceof CommandError ? `left out: ${program.message}` : `program ${address}: ${sizeOf(program)}`);
    if (!(program instanceof CommandError)) programs.push(program);
  }
  if (programs.length + accounts.size === 0)
    throw new CommandError(`the chain of ${source.host} has none of the programs`);
  return report(context, {
    folder,
    host: source.host,
    files: writePulled(folder, source.host, [...programs, ...accounts.values()]),
  });
}

/** A sandbox has stand-ins of ours for some programs: in a folder they would pass for the real ones. */
async function pullReal(source: AccountSource, address: Address): Promise<PulledProgram> {
  const program = await pullProgram(source, address);
  const standIn = STAND_INS[address];
  if (standIn && readProgram(standIn).equals(program.code))
    throw new CommandError(`${address}: the chain of ${source.host} has only a stand-in for it`);
  return program;
}

const sizeOf = ({ code }: PulledProgram) => `${Math.ceil(code.length / 1024)} KiB`;

function report(
  { cwd }: CommandContext,
  { folder, host, files }: { folder: string; host: string; files: readonly PulledFile[] },
): Result {
  const count = (kind: PulledFile['kind']) => files.filter((file) => file.kind === kind).length;
  const shown = relative(cwd, folder) || '.';
  return {
    json: {
      folder,
      source: host,
      files: files.map((file) => ({ ...file, slot: file.slot.toString(), file: pulledPath(file) })),
    },
    text: [
      `Copied ${count('program')} programs and ${count('account')} accounts from ${host} into ${shown}`,
      `Start with SLIPWAY_PROGRAMS_DIR=${shown}`,
    ].join('\n'),
  };
}
