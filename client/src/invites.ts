import type { Answer } from './call.js';
import { type Connection, type FlowOptions, poll, signerOf } from './context.js';
import { amountText, answered, type Check, checkAndSign, requireAddress } from './flow.js';
import { submit, type WaitOptions } from './submit.js';

export type Invite = Answer<'get', '/send/v1/pending-invites'>['invites'][number];

/** What to give to whoever gets the code. */
export interface SendRequest {
  /** In the smallest unit. */
  amount: bigint;
  /** Left out: SOL. */
  mint?: string | undefined;
  /** 12 characters of base58; a new one by default. Whoever has it has the money, so it never goes to the service. */
  code?: string | undefined;
}

export interface Sent {
  /** Pass it on, and keep it from everybody else. */
  code: string;
  /** The invite's account, which `takeBack` wants. */
  invite: string;
  signature: string;
  /** From when on it cannot be claimed any more. */
  expiry: Date;
}

/** Gives SOL or tokens to whoever gets the code, and waits until the invite is made. */
export async function send(connection: Connection, request: SendRequest, options: WaitOptions = {}): Promise<Sent> {
  const { signer, wallet } = signerOf(connection, options);
  const keys = await import('./invite-key.js');
  const { mint } = request;
  if (mint !== undefined) requireAddress('mint', mint);
  const code = request.code ?? keys.newInviteCode();
  const invite = await keys.inviteSigner(code);
  const body = {
    inviteSigner: invite.address,
    sender: wallet,
    amount: amountText('amount', request.amount),
    ...(mint && { mint }),
  };
  const crafted = await connection.api.post('/send/v1/craft-send', { body, signal: options.signal });
  const loadCheck = checking(connection, (check) =>
    check.checkSend({ ...request, wallet, inviteSigner: invite.address, expiry: crafted.expiry }),
  );
  const { signed, signature: expected } = await checkAndSign(connection, crafted.tx, loadCheck, { ...options, signer });
  const sent = submit(connection, await keys.signAlso(invite, signed), options);
  const { signature } = await answered(expected, sent);
  return {
    code,
    invite: keys.inviteAccount(invite.address, connection.programs),
    signature,
    expiry: new Date(crafted.expiry),
  };
}

/** Claims an invite for a wallet, which may be new and empty: the service pays the network fee. Needs no signer. */
export async function claim(
  connection: Connection,
  { code, receiver }: { code: string; receiver: string },
  options: FlowOptions = {},
): Promise<{ signature: string }> {
  requireAddress('receiver', receiver);
  const keys = await import('./invite-key.js');
  const signer = await keys.inviteSigner(code);
  const asked = { inviteSigner: signer.address, receiver };
  const crafted = await connection.api.post('/send/v1/craft-claim', { body: asked, signal: options.signal });
  const loadCheck = checking(connection, (check) => check.checkClaim({ inviteSigner: signer.address, receiver }));
  const { signed, signature } = await checkAndSign(connection, crafted.tx, loadCheck, { ...options, signer });
  const body = { requestId: crafted.requestId, signedTransaction: signed };
  const post = connection.api.post('/send/v1/execute-claim', { body, signal: options.signal, repeatable: true });
  const done = await answered(signature, post);
  options.onProgress?.({ step: 'landed', signature: done.signature });
  return done;
}

/** Takes an invite back that nobody has claimed, and waits until that has landed. */
export async function takeBack(
  connection: Connection,
  invite: string,
  options: WaitOptions = {},
): Promise<{ signature: string }> {
  const { signer, wallet } = signerOf(connection, options);
  requireAddress('invite', invite);
  const body = { invitePDA: invite, sender: wallet };
  const crafted = await connection.api.post('/send/v1/craft-clawback', { body, signal: options.signal });
  const loadCheck = checking(connection, (check) => check.checkTakeBack({ wallet, invite }));
  const { signed, signature: expected } = await checkAndSign(connection, crafted.tx, loadCheck, { ...options, signer });
  const { signature } = await answered(expected, submit(connection, signed, options));
  return { signature };
}

/** The invites of a wallet, by its part in them: those that are open, or those that were claimed, taken back or have expired. */
export function invites(
  connection: Connection,
  request: { address?: string; which?: 'pending' | 'ended'; page?: number } = {},
  options: FlowOptions = {},
) {
  const { which = 'pending', page } = request;
  const address = request.address ?? signerOf(connection, options).wallet;
  const path = which === 'pending' ? '/send/v1/pending-invites' : '/send/v1/invite-history';
  return connection.api.get(path, { query: { address, ...(page && { page }) }, signal: options.signal });
}

/** Waits until the service's index of the chain tells that an invite has ended in the way that is meant. */
export function waitForInvite(
  connection: Connection,
  invite: string,
  isMeant: (invite: Invite) => boolean,
  options: WaitOptions = {},
): Promise<Invite> {
  const { signal, timeoutMs = 60_000 } = options;
  const ask = async () => {
    const { invites: found } = await invites(connection, { which: 'ended' }, options);
    return found.find((each) => each.invite_pda === invite && isMeant(each));
  };
  return poll(ask, { everyMs: 500, timeoutMs, what: `nothing was heard of ${invite}`, signal });
}

type Checks = ReturnType<typeof import('./check-invite.js').inviteChecks>;

const checking =
  ({ programs }: Connection, choose: (checks: Checks) => Check) =>
  async (): Promise<Check> => {
    const { inviteChecks } = await import('./check-invite.js');
    return choose(inviteChecks(programs));
  };
