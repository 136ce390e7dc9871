import { resolve } from 'node:path';
import { isAddress } from '@slipway/wire';
import type { Command } from 'commander';
import { readPrivateFile } from '../signer/index.js';
import type { VaultMigration } from '../vault/migrate-vaults.js';
import type { SweepReport } from '../vault/sweep.js';
import type { VaultOutcome } from '../vault/sweep-all.js';
import { type CommandContext, CommandError, UsageError } from './context.js';
import { example } from './program.js';
import { configOf } from './service.js';
import { table } from './table.js';

/** `slipway vaults …` */
export function vaultsCommand(program: Command, context: CommandContext): void {
  const vaults = program
    .command('vaults')
    .description('Give the wallets of trigger orders back what their vaults hold, or move it to another seed');
  migrateCommand(vaults, context);
  vaults
    .command('sweep')
    .description(
      'Send all that the vault of a wallet holds to that wallet, or all that every vault holds to its wallet',
    )
    .option('--wallet <WALLET>', 'The wallet that the vault belongs to')
    .option('--all', 'Every vault of the database, each to its own wallet')
    .addHelpText(
      'after',
      example(
        'slipway vaults sweep --wallet 8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2',
        'slipway vaults sweep --all',
      ),
    )
    .action(async ({ wallet, all = false }: { wallet?: string; all?: boolean }) => {
      if (all === (wallet !== undefined)) throw new UsageError('give either --wallet or --all');
      if (wallet === undefined) return sweepEvery(context);
      if (!isAddress(wallet)) throw new UsageError('--wallet must be the address of a wallet');
      const { sweep } = await import('./sweep.js');
      const report = await sweep(configOf(context), wallet);
      context.answer({ json: toJson(report), text: show(report), failed: report.left.length > 0 });
    });
}

function migrateCommand(vaults: Command, context: CommandContext): void {
  vaults
    .command('migrate')
    .description(
      'Move every vault, and the wallets of the service, from the seed of its signer file to that of another one; open orders stay open. Can be interrupted and run again',
    )
    .requiredOption('--to <FILE>', 'The other signer file, as "slipway signer init" has made it')
    .requiredOption('--to-passphrase-file <FILE>', 'Holds its passphrase')
    .option('--leave', 'End although something could not be moved: it stays with the old seed')
    .addHelpText('after', example('slipway vaults migrate --to new-signer.json --to-passphrase-file new-passphrase'))
    .action(
      async ({ to, toPassphraseFile, leave = false }: { to: string; toPassphraseFile: string; leave?: boolean }) => {
        const secret = await readPrivateFile(resolve(context.cwd, toPassphraseFile));
        if (secret === undefined) throw new UsageError(`--to-passphrase-file: ${toPassphraseFile} does not exist`);
        const { migrate } = await import('./migrate.js');
        const told: VaultMigration[] = [];
        let count = 0;
        const say = (progress: string) => context.stderr(context.json ? JSON.stringify({ progress }) : progress);
        const { wallets, done } = await migrate(configOf(context), {
          file: resolve(context.cwd, to),
          passphrase: secret.toString('utf8').trim(),
          leavesBehind: leave,
          tell: say,
          onOutcome(outcome) {
            count += 1;
            if ('failed' in outcome || outcome.moved.length + outcome.left.length > 0) told.push(outcome);
            say(`${count}: ${outcome.wallet}: ${migrated(outcome)}`);
          },
        });
        const left = told.filter((outcome) => 'failed' in outcome || outcome.left.length > 0);
        // Anybody can put what cannot be moved into a wallet of the service, too.
        const leaves = left.length + wallets.left.length > 0;
        const listed = { ...wallets, moved: wallets.moved.map(asText), left: wallets.left.map(asText) };
        context.answer({
          json: { vaults: count, done, incomplete: left.map(migrationToJson), wallets: listed },
          text: [
            ...left.map(showMigration),
            ...wallets.left.map(showLeft),
            inSum(count, left.length, { done, leaves }),
          ].join('\n'),
          failed: !done || left.some(waits),
          leaves,
        });
      },
    );
}

const asText = <T extends { amount: bigint }>(held: T) => ({ ...held, amount: held.amount.toString() });

/** Something of an order, or nobody knows what, is still in the old vault. */
const waits = (outcome: VaultMigration) => 'failed' in outcome || outcome.ordersLeft > 0;

const migrationToJson = (outcome: VaultMigration) =>
  'failed' in outcome ? outcome : { ...outcome, moved: outcome.moved.map(asText), left: outcome.left.map(asText) };

function migrated(outcome: VaultMigration): string {
  if ('failed' in outcome) return `failed: ${outcome.failed}`;
  return `${outcome.moved.length} moved, ${outcome.left.length} left, ${outcome.orders} orders`;
}

const showLeft = ({
  account,
  mint,
  amount,
  reason,
}: {
  account: string;
  mint: string;
  amount: bigint;
  reason: string;
}) => `${amount} of ${mint} in ${account} is left: ${reason}`;

const showMigration = (outcome: VaultMigration): string =>
  [
    `Wallet ${outcome.wallet}:`,
    ...('failed' in outcome ? [`failed: ${outcome.failed}`] : outcome.left.map(showLeft)),
  ].join('\n');

function inSum(vaults: number, incomplete: number, { done, leaves }: { done: boolean; leaves: boolean }): string {
  if (!done) return `${vaults} vaults, ${incomplete} not moved yet: run this again. With --leave it ends without them.`;
  return [
    `${vaults} vaults have moved, ${incomplete} of them not whole. The database belongs to the new signer file now.`,
    ...(leaves
      ? ['What is listed above is still in the old vaults and wallets: run this again once it can be moved.']
      : []),
    'Start the service with it, then "slipway resume all". Keep the old file until nothing can arrive at old addresses.',
  ].join('\n');
}

async function sweepEvery(context: CommandContext): Promise<void> {
  const { sweepAll } = await import('./sweep.js');
  // Of a vault that held nothing there is nothing to say but its number.
  const told: VaultOutcome[] = [];
  let vaults = 0;
  await sweepAll(configOf(context), (outcome, all) => {
    vaults += 1;
    if (!isEmpty(outcome)) told.push(outcome);
    const progress = `${vaults} of ${all}: ${outcome.wallet}: ${inWords(outcome)}`;
    context.stderr(context.json ? JSON.stringify({ progress }) : progress);
  });
  // An empty database is more likely another one than a service without users: nobody should take it for done.
  if (vaults === 0) throw new CommandError('the database knows no vault: is it that of the service?');
  const isWhole = (outcome: VaultOutcome) => !('failed' in outcome) && outcome.left.length === 0;
  const whole = told.filter(isWhole).length;
  const incomplete = told.length - whole;
  const sums = [`${vaults} vaults: ${whole} swept, ${vaults - told.length} held nothing, ${incomplete} not empty yet.`];
  if (incomplete > 0) sums.push('What is left, and why, stands above. Run this again.');
  context.answer({
    json: { vaults, swept: told.map((outcome) => ('failed' in outcome ? outcome : toJson(outcome))) },
    text: [...told.filter((outcome) => !isWhole(outcome)).map(showOutcome), ...sums].join('\n'),
    failed: incomplete > 0,
  });
}

const isEmpty = (outcome: VaultOutcome) => !('failed' in outcome) && outcome.sent.length + outcome.left.length === 0;

function inWords(outcome: VaultOutcome): string {
  if ('failed' in outcome) return `failed: ${outcome.failed}`;
  if (isEmpty(outcome)) return 'held nothing';
  return `${outcome.sent.length} sent, ${outcome.left.length} left`;
}

const showOutcome = (outcome: VaultOutcome): string =>
  `Wallet ${outcome.wallet}:\n${'failed' in outcome ? `failed: ${outcome.failed}` : show(outcome)}\n`;

function toJson({ wallet, vault, sent, left }: SweepReport) {
  return { wallet, vault, sent: sent.map(asText), left: left.map(asText) };
}

function show({ vault, sent, left }: SweepReport): string {
  if (sent.length + left.length === 0) return `The vault ${vault} holds nothing.`;
  const rows = [
    ...sent.map(({ account, mint, amount, signature }) => [account, mint, amount.toString(), `sent: ${signature}`]),
    ...left.map(({ account, mint, amount, reason }) => [account, mint, amount.toString(), `left: ${reason}`]),
  ];
  return table(['ACCOUNT', 'MINT', 'AMOUNT', 'RESULT'], rows);
}
