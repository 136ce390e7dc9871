-- Claims that the keeper has signed, as long as they may still land: of one invite there are only so many at a time.
create table invite_claims (
  id text primary key,
  invite_pda text not null,
  expires_at timestamptz not null
);
create index invite_claims_of_invite on invite_claims (invite_pda);
create index invite_claims_expired on invite_claims (expires_at);
