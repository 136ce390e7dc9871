import type { Command } from 'commander';
import { adminsCommand } from './admins.js';
import { airdropCommand } from './airdrop.js';
import { auditCommand } from './audit.js';
import { clockCommand } from './clock.js';
import { configCommand } from './config.js';
import type { CommandContext } from './context.js';
import { doctorCommand } from './doctor.js';
import { invitesCommand } from './invites.js';
import { keysCommand } from './keys.js';
import { listenCommand } from './listen.js';
import { loginsCommand } from './logins.js';
import { logsCommand } from './logs.js';
import { makersCommand } from './makers.js';
import { mcpCommand } from './mcp.js';
import { openCommand } from './open.js';
import { ordersCommand } from './orders.js';
import { poolsCommand } from './pools.js';
import { pricesCommand } from './prices.js';
import { example } from './program.js';
import { programsCommand } from './programs.js';
import { quoteCommand } from './quote.js';
import { scoresCommand } from './scores.js';
import { serveCommand } from './serve.js';
import { signerCommand } from './signer.js';
import { statusCommand } from './status.js';
import { stopCommands } from './stop.js';
import { tokensCommand } from './tokens.js';
import { triggerCommand } from './trigger.js';
import { triggerOrdersCommand } from './trigger-orders.js';
import { txCommand } from './tx.js';
import { vaultsCommand } from './vaults.js';
import { verificationsCommand } from './verifications.js';
import { walletsCommand } from './wallets.js';

/** Adds every command to the program, in the order of the help. */
export function addCommands(program: Command, context: CommandContext): void {
  serveCommand(program);
  signerCommand(program, context);
  statusCommand(program, context);
  logsCommand(program, context);
  stopCommands(program, context);
  openCommand(program, context);
  configCommand(program, context);
  doctorCommand(program, context);
  keysCommand(program, context);
  adminsCommand(program, context);
  auditCommand(program, context);
  loginsCommand(program, context);
  airdropCommand(program, context);
  pricesCommand(program, context);
  clockCommand(program, context);
  tokensCommand(program, context);
  quoteCommand(program, context);
  poolsCommand(program, context);
  txCommand(program, context);
  listenCommand(program, context);
  triggerCommand(program, context);
  mcpCommand(program, context);
  makersCommand(program, context);
  verificationsCommand(program, context);
  scoresCommand(program, context);
  ordersCommand(program, context);
  triggerOrdersCommand(program, context);
  invitesCommand(program, context);
  walletsCommand(program, context);
  vaultsCommand(program, context);
  programsCommand(program, context);
  showExamples(program);
}

const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  'Run it:': ['serve', 'signer', 'status', 'logs', 'stop', 'resume', 'open', 'config', 'doctor'],
  'Who may do what:': ['keys', 'admins', 'audit', 'logins'],
  'In a sandbox:': ['airdrop', 'prices', 'clock', 'trigger', 'programs'],
  'Look, and follow:': ['tokens', 'quote', 'pools', 'tx', 'listen', 'scores', 'orders', 'trigger-orders', 'mcp'],
  'Look after it:': ['wallets', 'vaults', 'makers', 'verifications', 'invites'],
};

/** The help of the program and of each group ends with examples, too: those of the group are the first of its commands. */
function showExamples(program: Command): void {
  for (const [heading, names] of Object.entries(HEADINGS))
    for (const command of program.commands.filter((each) => names.includes(each.name()))) command.helpGroup(heading);
  program.addHelpText('after', example('slipway serve', 'slipway quote 1 SOL USDC', 'slipway keys create --help'));
  for (const group of program.commands.filter(({ commands }) => commands.length > 0)) {
    group.helpCommand('help [command]', 'Show the help of a command');
    // These have their own, and do something without a command.
    if (!['config', 'signer'].includes(group.name()))
      group.addHelpText('after', () => example(...group.commands.flatMap(firstExampleOf)));
  }
}

function firstExampleOf(command: Command): string[] {
  const text: string[] = [];
  const before = command.configureOutput();
  command.configureOutput({ writeOut: (part) => text.push(part) });
  command.outputHelp();
  command.configureOutput(before);
  return (
    text
      .join('')
      .match(/(?<=\$ ).*/)
      ?.slice(0, 1) ?? []
  );
}
