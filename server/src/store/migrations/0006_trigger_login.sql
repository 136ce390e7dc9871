-- What a wallet is asked to sign to log in.
create table login_challenges (
  wallet text not null,
  id text not null,
  type text not null check (type in ('message', 'transaction')),
  challenge text not null,
  -- Of the transaction type: the blockhash that no chain has.
  blockhash text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (wallet, id)
);
create index login_challenges_expiry on login_challenges (expires_at);

-- One vault per wallet. Its key is derived from the signer's seed and the wallet; nothing here is secret.
create table vaults (
  wallet text primary key,
  id text not null,
  address text not null,
  created_at timestamptz not null
);
