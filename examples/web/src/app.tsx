import { useWalletSigner } from '@slipway/react';
import { type UiWallet, type UiWalletAccount, useConnect, useDisconnect, useWallets } from '@wallet-standard/react';
import { useState } from 'react';
import { Failure } from './failure.js';
import { CHAIN } from './slipway.js';
import { StopLoss } from './stop-loss.js';
import { Swap } from './swap.js';

/** Every wallet in the browser that can sign here, until one is connected. */
export function App() {
  const wallets = useWallets().filter(
    ({ features }) => features.includes('solana:signTransaction') && features.includes('solana:signMessage'),
  );
  const connected = wallets.find(({ accounts }) => accounts.length > 0);
  if (connected) return <Connected key={connected.name} wallet={connected} account={connected.accounts[0]!} />;
  return (
    <main>
      <h1>Choose a wallet</h1>
      {wallets.map((wallet) => (
        <Choice key={wallet.name} wallet={wallet} />
      ))}
      {wallets.length === 0 && <p>No wallet has announced itself. Is the service running?</p>}
    </main>
  );
}

function Choice({ wallet }: { wallet: UiWallet }) {
  const [isConnecting, connect] = useConnect(wallet);
  const [error, setError] = useState<unknown>();
  return (
    <p>
      <button type="button" disabled={isConnecting} onClick={() => connect().catch(setError)}>
        <img src={wallet.icon} alt="" width="16" /> {wallet.name}
      </button>
      <Failure error={error} />
    </p>
  );
}

function Connected({ wallet, account }: { wallet: UiWallet; account: UiWalletAccount }) {
  const [, disconnect] = useDisconnect(wallet);
  const signer = useWalletSigner(account, CHAIN);
  return (
    <main>
      <h1>{wallet.name}</h1>
      <p>
        <code>{account.address}</code>
      </p>
      <button type="button" onClick={() => disconnect()}>
        Disconnect
      </button>
      <Swap signer={signer} />
      <StopLoss signer={signer} />
    </main>
  );
}
