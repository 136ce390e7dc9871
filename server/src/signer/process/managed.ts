import { resolve } from 'node:path';
import { createClock } from '../../lib/clock.js';
import type { KeyManagement } from '../key-management.js';
import { initManaged, rekeyManaged } from '../managed-file.js';
import { loadSeed, openSigner } from '../signer.js';
import { addressesOf, linesOf } from './addresses.js';
import { type Answer, UsageError } from './command.js';
import type { SignerContext } from './context.js';
import { type ManagedSettings, openKeyManagement } from './key-management.js';

type Place = { file: string } & ManagedSettings;

export const isManaged = ({ token, kms }: ManagedSettings): boolean => token !== undefined || kms !== undefined;

const open = async (place: Place, context: SignerContext): Promise<KeyManagement> =>
  (await openKeyManagement(place, context, createClock()))!;

/** `slipway signer init`, where the settings name a token or AWS KMS. */
export async function initManagedKeys(
  place: Place,
  { passphrase, backup: given }: { passphrase: string; backup: string | undefined },
  context: SignerContext,
): Promise<Answer> {
  const { file } = place;
  const { where, backUp, others } = wordsOf(place);
  if (given === undefined)
    throw new UsageError(`--backup is needed: to lose ${where} without it is to lose all vaults`);
  const backup = resolve(context.cwd, given);
  const keys = await open(place, context);
  await initManaged({ file, keys, loadSeed: () => loadSeed({ file: backup, passphrase, create: true }) });
  const addresses = addressesOf(await openSigner({ file, keys, create: false }));
  const text = [
    `${file} is made. It opens with ${keys.name} only, which has the keys of the wallets.`,
    '',
    ...linesOf(addresses),
    '',
    `Move ${backup} to a safe place away from this machine now, and its passphrase to another one: together they are all`,
    `vaults, and the only way to them when ${where} is lost. The keys of the wallets are in ${others}`,
    'Keep no more in the wallets than they need.',
  ];
  return { json: { file, addresses, backUp: [backup, 'its passphrase', ...backUp] }, text: text.join('\n') };
}

/** `slipway signer rekey`, where the settings name a token or AWS KMS. */
export async function rekeyManagedKeys(
  place: Place,
  wanted: string | undefined,
  context: SignerContext,
): Promise<Answer> {
  const { file, token } = place;
  if (token === undefined && wanted === undefined) throw new UsageError('--new-key is needed');
  if (token !== undefined && wanted !== undefined) throw new UsageError('--new-key is for AWS KMS, not for a token');
  const keys = await open(place, context);
  const { old, key, changed } = await rekeyManaged({ file, keys, wanted });
  const json = { file, changed, old, key };
  const then =
    wanted === undefined ? [] : [`Set kms.keys.seed to ${wanted} now: a signer does not start without that.`];
  if (!changed) return { json, text: [`${file} opens with the key ${key} already.`, ...then].join('\n') };
  const text = [
    `${file} opens with the key ${key} of ${keys.name}. All addresses are as before.`,
    ...then,
    '',
    `The key ${old} is still ${wordsOf(place).stays}`,
  ];
  return { json, text: text.join('\n') };
}

/** What is said of a token, and of AWS KMS. */
function wordsOf({ token }: ManagedSettings) {
  if (token !== undefined) {
    return {
      where: 'the token',
      backUp: [`the token ${token.label}`],
      others: "no backup but\nthose that the token's maker provides.",
      stays: `in the token: it opens copies of the file from before. Destroy it with the tool of the
token's maker once the signer has started with the new file.`,
    };
  }
  return {
    where: 'the key in AWS KMS',
    backUp: [],
    others: 'no backup:\nwhoever deletes one of them in AWS KMS deletes its wallet.',
    stays: `in AWS KMS: it opens copies of the file from
before. Disable it once the signer has started with the new file.`,
  };
}
