import { encodePool, type PoolFees, poolAuthority, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { newAddress } from '@slipway/programs/testing';
import { type Address, TOKEN_PROGRAM } from '@slipway/wire';
import type { Lab, LabPool } from './lab.js';

interface TokenSwapTerms {
  mints: readonly [Address, Address];
  tokenPrograms: readonly [Address, Address];
  reserves: readonly [bigint, bigint];
  fees: PoolFees;
}

/** Writes a pool of our own program, with its vaults. */
export function writeTokenSwapPool({ vm }: Lab, { mints, tokenPrograms, reserves, fees }: TokenSwapTerms): LabPool {
  const address = newAddress();
  const authority = poolAuthority(address);
  const vaults = ([0, 1] as const).map((side) =>
    vm.tokenAccount({
      mint: mints[side],
      owner: authority.address,
      amount: reserves[side],
      tokenProgram: tokenPrograms[side],
    }),
  );
  const poolMint = vm.mint({ mintAuthority: authority.address, supply: 10n ** 9n });
  const feeAccount = vm.tokenAccount({ mint: poolMint, owner: newAddress() });
  const data = encodePool({
    bump: authority.bump,
    tokenProgram: TOKEN_PROGRAM,
    vaultA: vaults[0]!,
    vaultB: vaults[1]!,
    poolMint,
    mintA: mints[0],
    mintB: mints[1],
    feeAccount,
    fees,
  });
  vm.put(address, data, TOKEN_SWAP_PROGRAM);
  return { address, mints, written: [address, ...vaults, poolMint, feeAccount, ...mints] };
}
