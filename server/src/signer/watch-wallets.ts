import type { WalletRotation } from './signer.js';

const INTERVAL_MS = 1_000;

/** Learns within a second of wallets whose keys are exchanged, until it is called off. What fails is tried again. */
export function watchWallets({ reload }: Pick<WalletRotation, 'reload'>, failed: (error: Error) => void): () => void {
  let isReading = false;
  const reading = setInterval(() => {
    if (isReading) return;
    isReading = true;
    reload()
      .catch(failed)
      .finally(() => {
        isReading = false;
      });
  }, INTERVAL_MS);
  reading.unref();
  return () => clearInterval(reading);
}
