import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAddress,
  type Instruction,
  SYSTEM_PROGRAM,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenTransferChecked,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import * as invites from './invite-escrow.js';
import { inviteLayouts } from './invite-escrow-layout.js';
import { holding, inviteVm, LEAST_LAMPORTS, NOW, wallet } from './invite-escrow-testing.js';
import { newAddress, type Random, type TestVm } from './test-vm.js';

// A world of people with invites, and what they send: for invite-escrow-hostile-callers.slow.test.ts.

/** Everybody has one associated account of each mint, which may be missing, and another one. */
export interface Party {
  wallet: Address;
  accounts: Record<Address, { associated: Address; other: Address }>;
}

export interface OpenInvite {
  key: Address;
  info: Address;
  sender: Party;
  /** Undefined for SOL. */
  mint: Address | undefined;
  escrow: Address | undefined;
  amount: bigint;
  expiry: bigint;
}

export interface World {
  vm: TestVm;
  mints: Address[];
  /** Each may be in league with whoever else it is, and has the keys of invites that are not the bystander's. */
  traders: Party[];
  /** Signs only what it means, as the keys of its invites do. */
  bystander: Party;
  /** Signs whatever ends an invite, but only in the keeper's place. */
  keeper: Party;
  keys: { traders: Address[]; bystander: Address[] };
  open: Map<Address, OpenInvite>;
  time: bigint;
  /** All accounts that anybody can name, and of which mint those are that can hold tokens. */
  everything: Address[];
  mintOf: Map<Address, Address>;
}

const KEYS = 5;
const pick = <T>(from: readonly T[], random: Random): T => from[random(from.length)]!;
export const parties = ({ traders, bystander, keeper }: World) => [...traders, bystander, keeper];

export function openWorld(): World {
  const vm = inviteVm();
  const mints = [vm.mint(), vm.mint({ tokenProgram: TOKEN_2022_PROGRAM }), WRAPPED_SOL_MINT];
  const join = (): Party => {
    const party: Party = { wallet: wallet(vm), accounts: {} };
    for (const mint of mints) {
      const associated = associatedTokenAddress(party.wallet, mint, vm.owner(mint));
      holding(vm, mint, party.wallet, 10n ** 9n, { address: associated });
      party.accounts[mint] = { associated, other: holding(vm, mint, party.wallet, 10n ** 9n) };
    }
    return party;
  };
  const traders = [join(), join(), join()];
  const [bystander, keeper] = [join(), join()];
  const newKeys = () => Array.from({ length: KEYS }, newAddress);
  const keys = { traders: newKeys(), bystander: newKeys() };
  const fake = vm.mint();
  const infos = [...keys.traders, ...keys.bystander].map((key) => invites.inviteAddress(key));
  const mintOf = new Map<Address, Address>([[holding(vm, fake, traders[0]!.wallet, 10n ** 9n), fake]]);
  for (const mint of mints) {
    for (const { accounts } of [...traders, bystander, keeper]) {
      for (const account of Object.values(accounts[mint]!)) mintOf.set(account, mint);
    }
    for (const info of infos) mintOf.set(associatedTokenAddress(info, mint, vm.owner(mint)), mint);
  }
  const everything = [
    ...[...traders, bystander, keeper].map((party) => party.wallet),
    ...[...keys.traders, ...keys.bystander, ...infos, ...mintOf.keys(), ...mints, fake, newAddress()],
    ...[TOKEN_PROGRAM, TOKEN_2022_PROGRAM, SYSTEM_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, invites.INVITE_PROGRAM],
  ];
  return { vm, mints, traders, bystander, keeper, keys, open: new Map(), time: NOW, everything, mintOf };
}

export interface Sent {
  instructions: Instruction[];
  opens?: OpenInvite;
  ends?: OpenInvite;
  /** Who gets the invite where its sender does not. */
  claimer?: Party;
  /** What is given away to an open invite. */
  present?: { from: Party; to: OpenInvite; lamports: bigint; tokens: bigint };
}

function opening(world: World, random: Random): Sent | undefined {
  const { vm, mints, traders, bystander, keys } = world;
  const sender = random(3) === 0 ? bystander : pick(traders, random);
  const free = keys[sender === bystander ? 'bystander' : 'traders'].filter((key) => !world.open.has(key));
  if (free.length === 0) return undefined;
  const key = pick(free, random);
  const info = invites.inviteAddress(key);
  const mint = random(3) === 0 ? undefined : pick(mints, random);
  const expiry = world.time + BigInt(random(40));
  const common = { sender: sender.wallet, inviteSigner: key, expiry };
  if (!mint) {
    const amount = LEAST_LAMPORTS - 20n + BigInt(random(2_000_000));
    const opens = { key, info, sender, mint, escrow: undefined, amount, expiry };
    return { instructions: [invites.initializeInvite({ ...common, amount })], opens };
  }
  const { associated, other } = sender.accounts[mint]!;
  const senderTokenAccount = random(2) === 0 ? associated : other;
  const amount = (vm.amount(senderTokenAccount) * BigInt(random(1 << 20))) >> BigInt(20 + random(20));
  const tokenProgram = vm.owner(mint);
  const opens = { key, info, sender, mint, escrow: invites.inviteEscrow(info, mint, tokenProgram), amount, expiry };
  const terms = { ...common, amount, mint, tokenProgram, senderTokenAccount };
  return { instructions: [invites.initializeTokenInvite(terms)], opens };
}

function ending(world: World, invite: OpenInvite, random: Random): Sent {
  const { vm, traders } = world;
  const { key, info, sender, mint } = invite;
  const keeper = pick([world.keeper, world.keeper, ...traders], random).wallet;
  const claimer = pick(parties(world), random);
  const token = mint && { mint, tokenProgram: vm.owner(mint) };
  const accountOf = (party: Party, signs: boolean) =>
    party.accounts[mint!]![signs && random(2) === 0 ? 'other' : 'associated'];
  switch (random(3)) {
    case 0: {
      const claim = { inviteSigner: key, claimer: claimer.wallet, keeper };
      if (!token) return { instructions: [invites.claimInvite(claim)], ends: invite, claimer };
      const claimerTokenAccount = accountOf(claimer, claimer.wallet === keeper);
      const it = invites.claimTokenInvite({ ...claim, ...token, claimerTokenAccount });
      return { instructions: [it], ends: invite, claimer };
    }
    case 1: {
      const back = { inviteInfo: info, sender: sender.wallet };
      if (!token) return { instructions: [invites.clawbackInvite(back)], ends: invite };
      const senderTokenAccount = accountOf(sender, true);
      return { instructions: [invites.clawbackTokenInvite({ ...back, ...token, senderTokenAccount })], ends: invite };
    }
    default: {
      const expire = { inviteInfo: info, sender: sender.wallet, keeper };
      if (!token) return { instructions: [invites.expireInvite(expire)], ends: invite };
      const senderTokenAccount = accountOf(sender, sender.wallet === keeper);
      return { instructions: [invites.expireTokenInvite({ ...expire, ...token, senderTokenAccount })], ends: invite };
    }
  }
}

function presenting({ vm, traders }: World, to: OpenInvite, random: Random): Sent {
  const from = pick(traders, random);
  const amount = BigInt(random(5));
  if (!to.mint || !to.escrow || random(3) === 0) {
    const transfer = systemTransfer({ from: from.wallet, to: to.info, lamports: amount });
    return { instructions: [transfer], present: { from, to, lamports: amount, tokens: 0n } };
  }
  const { mint } = to;
  const isNative = mint === WRAPPED_SOL_MINT;
  const transfer = tokenTransferChecked({
    source: from.accounts[mint]!.other,
    mint,
    destination: to.escrow,
    authority: from.wallet,
    amount,
    decimals: isNative ? 9 : 6,
    tokenProgram: vm.owner(mint),
  });
  const given = isNative ? { lamports: amount, tokens: 0n } : { lamports: 0n, tokens: amount };
  return { instructions: [transfer], present: { from, to, ...given } };
}

/** Somebody closes the associated token account, so that it has to be made for him again. */
function leaving(world: World, random: Random): Sent {
  const { wallet: owner, accounts } = pick(parties(world), random);
  const mint = pick(world.mints, random);
  const { associated: source, other: destination } = accounts[mint]!;
  const [amount, tokenProgram] = [world.vm.amount(source), world.vm.owner(mint)];
  const decimals = mint === WRAPPED_SOL_MINT ? 9 : 6;
  const move = { source, mint, destination, authority: owner, amount, decimals, tokenProgram };
  const close = { account: source, destination: owner, authority: owner, tokenProgram };
  return { instructions: [tokenTransferChecked(move), tokenCloseAccount(close)] };
}

/** What somebody sends who keeps to the interface; whether the program accepts it is another thing. */
export function honest(world: World, random: Random): Sent {
  const action = random(12);
  const opens = world.open.size === 0 || action < 5 ? opening(world, random) : undefined;
  if (opens) return opens;
  if (action === 5) return leaving(world, random);
  if (world.open.size === 0) return leaving(world, random);
  const invite = pick([...world.open.values()], random);
  return action === 6 ? presenting(world, invite, random) : ending(world, invite, random);
}

/** The places of the keepers, by the instructions' first byte. */
const KEEPER_AT = new Map(
  Object.values(inviteLayouts).map(({ start, accounts }) => [
    start[0]!,
    accounts.findIndex(([account]) => account === 'keeper'),
  ]),
);

/** Several of them in one transaction, with accounts exchanged or replaced, signatures left out, data changed. */
export function spoiled(sent: Sent, world: World, random: Random): Instruction[] {
  const all = [...sent.instructions];
  while (random(3) === 0) all.splice(random(all.length + 1), 0, ...honest(world, random).instructions);
  const copies = all.map((one) => ({
    ...one,
    accounts: one.accounts.map((meta) => ({ ...meta })),
    data: Uint8Array.from(one.data),
  }));
  for (let changes = random(4); changes > 0; changes--) {
    const { accounts, data } = pick(copies, random);
    if (accounts.length === 0) continue;
    const meta = pick(accounts, random);
    const other = pick(pick(copies, random).accounts, random) ?? meta;
    switch (random(8)) {
      case 0:
        [meta.address, other.address] = [other.address, meta.address];
        break;
      case 1:
        meta.address = other.address;
        break;
      case 2:
        if (data.length > 8) data[8 + random(data.length - 8)] = random(256);
        break;
      case 3:
        if (random(3) === 0) accounts.pop();
        else meta.signer = false;
        break;
      case 4:
        meta.address = pick(parties(world), random).wallet;
        break;
      default:
        meta.address = pick(world.everything, random);
    }
  }
  const signers = new Set([...world.traders.map((party) => party.wallet), ...world.keys.traders]);
  for (const { program, accounts, data } of copies) {
    for (const [i, meta] of accounts.entries()) {
      const isKeeper = program === invites.INVITE_PROGRAM && KEEPER_AT.get(data[0]!) === i;
      if (meta.address !== world.keeper.wallet) meta.signer &&= signers.has(meta.address);
      // The signature counts for the whole transaction.
      else if (!isKeeper) meta.address = pick(world.traders, random).wallet;
    }
  }
  return copies;
}
