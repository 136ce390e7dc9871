import type { Signer } from '@slipway/client';
import { useFlow } from '@slipway/react';
import { Failure } from './failure';
import { unitsOf } from './slipway';

/** The code of a gift stands behind the # of its link, which browsers send to nobody: it is the money. */
const code = new URLSearchParams(location.hash.slice(1)).get('gift');

/** 0.1 SOL for whoever opens the link, also without a wallet that holds SOL. */
export function Gift({ signer, wallet }: { signer: Signer; wallet: string }) {
  const send = useFlow(signer, (client, options) => client.send({ amount: unitsOf('0.1', 9) }, options));
  const claim = useFlow(signer, (client, options, gift: string) =>
    client.claim({ code: gift, receiver: wallet }, options),
  );
  return (
    <section>
      <h2>Gift</h2>
      <button type="button" disabled={send.isRunning} onClick={() => send.dispatch()}>
        Give 0.1 SOL
      </button>
      {code && (
        <button type="button" disabled={claim.isRunning} onClick={() => claim.dispatch(code)}>
          Claim the gift
        </button>
      )}
      <output aria-label="gift">
        {send.data && `${location.origin}/#gift=${send.data.code}`}
        {claim.data && `Claimed: ${claim.data.signature}`}
      </output>
      <Failure error={send.error ?? claim.error} />
    </section>
  );
}
