import { type Client, type Progress, SlipwayError } from '@slipway/client';
import type { ActingWallet } from './wallet.js';

/** Sends SOL from one wallet to another: crafted by the service, checked, signed here, landed by the service. */
export async function pay(
  { api }: Client,
  { from, to, lamports }: { from: ActingWallet; to: string; lamports: bigint },
  onProgress: (progress: Progress) => void,
): Promise<{ signature: string }> {
  const query = { senderAddress: from.address, receiverAddress: to, amount: lamports.toString() };
  const { transaction, requestId } = await api.get('/ultra/v1/transfer/craft-native', { query });
  onProgress({ step: 'crafted' });
  const [{ checkTransfer, readTransaction }, formats] = await Promise.all([
    import('@slipway/checks'),
    import('@slipway/wire/formats'),
  ]);
  const wire = Uint8Array.from(atob(transaction), (char) => char.charCodeAt(0));
  const read = readTransaction(wire);
  const [limit, price] = read.instructions;
  const budget = {
    computeUnitLimit: (limit && formats.parseComputeUnitLimit(limit)) ?? 0,
    computeUnitPrice: (price && formats.parseComputeUnitPrice(price)) ?? 0n,
  };
  const [sender, receiver] = [formats.address(from.address), formats.address(to)];
  checkTransfer(read, { kind: 'native', sender, receiver, amount: lamports }, budget);
  onProgress({ step: 'checked' });
  const signed = await from.signer.signTransaction(wire);
  onProgress({ step: 'signed' });
  const body = { requestId, signedTransaction: btoa(String.fromCharCode(...signed)) };
  onProgress({ step: 'sent' });
  const { status, signature, error } = await api.post('/ultra/v1/transfer/execute', { body, repeatable: true });
  if (status !== 'Success') throw new SlipwayError('failed', error ?? 'the transfer failed', { signature });
  onProgress({ step: 'landed', signature });
  return { signature };
}
