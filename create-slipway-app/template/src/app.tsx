import { useWalletSigner } from '@slipway/react';
import { type UiWallet, type UiWalletAccount, useConnect, useWallets } from '@wallet-standard/react';
import { Gift } from './gift';
import { Order } from './order';
import { CHAIN } from './slipway';
import { Swap } from './swap';

export function App() {
  const wallets = useWallets().filter(({ features }) => features.includes('solana:signTransaction'));
  const connected = wallets.find(({ accounts }) => accounts.length > 0);
  if (connected) return <Connected account={connected.accounts[0]!} name={connected.name} />;
  return (
    <main>
      <h1>Choose a wallet</h1>
      {wallets.map((wallet) => (
        <Choice key={wallet.name} wallet={wallet} />
      ))}
    </main>
  );
}

function Choice({ wallet }: { wallet: UiWallet }) {
  const [isConnecting, connect] = useConnect(wallet);
  return (
    <p>
      <button type="button" disabled={isConnecting} onClick={() => connect()}>
        {wallet.name}
      </button>
    </p>
  );
}

function Connected({ account, name }: { account: UiWalletAccount; name: string }) {
  const signer = useWalletSigner(account, CHAIN);
  return (
    <main>
      <h1>{name}</h1>
      <Swap signer={signer} />
      <Order signer={signer} wallet={account.address} />
      <Gift signer={signer} wallet={account.address} />
    </main>
  );
}
