import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INVITE_PROGRAM, LIMIT_ORDER_PROGRAM, ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import { openSigner } from '../../server/dist/signer/index.js';
import { run, SLIPWAY } from './command.js';
import { signerIn } from './signer-process.js';

const PASSPHRASE = 'passphrase of the production';
/** The chain of the tests has the router where a sandbox has it. */
const PROGRAMS = {
  router: ROUTER_PROGRAM,
  tokenSwap: TOKEN_SWAP_PROGRAM,
  limitOrder: LIMIT_ORDER_PROGRAM,
  invite: INVITE_PROGRAM,
};
/** Numbers that no account of the machine has. */
export const USERS = { signer: 64_101, api: 64_102, keeper: 64_103 } as const;
export type User = keyof typeof USERS;

export interface SignerInProduction {
  folder: string;
  socketOf(caller: string): string;
  start(): Promise<void>;
  /** Ends it like the kernel does. */
  kill(): Promise<void>;
  /** `slipway signer …`, as its user. */
  command(...args: string[]): ReturnType<typeof run>;
  log(): string;
}

/** Whether this process may run our programs as another user, who can read them where they are. */
export function canRunAs(user: number, folder: string): boolean {
  if (process.getuid?.() !== 0) return false;
  return mayRead(user, SLIPWAY) && mayRead(user, folder);
}

export function mayRead(user: number | undefined, path: string): boolean {
  const script = `require('node:fs').accessSync(${JSON.stringify(path)}, require('node:fs').constants.R_OK)`;
  const options = { cwd: '/', ...(user !== undefined && { uid: user, gid: user }) };
  return spawnSync(process.execPath, ['-e', script], options).status === 0;
}

export function ownedFolder(
  path: string,
  { owner, group = owner, mode }: { owner?: number | undefined; group?: number | undefined; mode: number },
): string {
  mkdirSync(path, { recursive: true });
  if (owner !== undefined) chownSync(path, owner, group ?? owner);
  // After the owner, whose change takes the bit away with which files get the group of their folder.
  chmodSync(path, mode);
  return path;
}

/** As docs/signer.md sets it up: its file for its own user, a folder with a group for the sockets of each role. */
export async function openSignerIn(
  folder: string,
  publicUrl: string,
  userOf: (user: User) => number | undefined,
): Promise<{ signer: SignerInProduction; wallets: Record<'gas' | 'keeper', Address>; tracker: Address }> {
  const [owner, user] = [userOf('signer'), userOf('signer')];
  const home = ownedFolder(join(folder, 'signer'), { owner, mode: 0o700 });
  const socketFolder = ownedFolder(join(folder, 'run'), { owner, mode: 0o711 });
  for (const role of ['api', 'keeper'] as const)
    ownedFolder(join(socketFolder, role), { owner, group: userOf(role), mode: 0o2750 });
  const file = join(home, 'signer.json');
  const made = await openSigner({ file, passphrase: PASSPHRASE, create: true });
  const wallets = { gas: made.address('gas'), keeper: made.address('keeper') };
  if (owner !== undefined) chownSync(file, owner, owner);
  const sockets = {
    api1: join(socketFolder, 'api', 'api1.sock'),
    api2: join(socketFolder, 'api', 'api2.sock'),
    keeper: join(socketFolder, 'keeper', 'keeper.sock'),
    operator: join(socketFolder, 'operator.sock'),
  };
  const roles = { api1: 'api', api2: 'api', keeper: 'keeper', operator: 'operator' };
  const socketOf = (caller: string) => sockets[caller as keyof typeof sockets];
  const callers = Object.fromEntries(
    Object.entries(sockets).map(([name, socket]) => {
      const role = roles[name as keyof typeof roles];
      // The operator acts as the signer's own user.
      return [name, { roles: [role], socket, mode: role === 'operator' ? '0600' : '0660' }];
    }),
  );
  const config = join(home, 'slipway.signer.json');
  writeFileSync(config, JSON.stringify({ file, publicUrl, callers, programs: PROGRAMS }));
  if (owner !== undefined) chownSync(config, owner, owner);
  const place = { cwd: home, user, env: { SLIPWAY_SIGNER_PASSPHRASE: PASSPHRASE } };
  const signer: SignerInProduction = {
    folder: home,
    socketOf,
    ...signerIn(place),
    command: (...args) => run(SLIPWAY, ['signer', ...args], place),
  };
  return { signer, wallets, tracker: made.address('tracker') };
}
