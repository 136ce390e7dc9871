interface UiTokenAmount {
  amount: string;
  decimals: number;
  /** Null where the power of ten is beyond 64 bits. */
  uiAmount: number | null;
  uiAmountString: string;
}

/** A token amount as a validator shows it. `amount` is in the smallest unit. */
export function uiTokenAmount(amount: bigint, decimals: number): UiTokenAmount {
  return {
    amount: amount.toString(),
    decimals,
    uiAmount: decimals < 20 ? Number(amount) / 10 ** decimals : null,
    uiAmountString: decimalText(amount, decimals),
  };
}

function decimalText(amount: bigint, decimals: number): string {
  if (decimals === 0) return amount.toString();
  const digits = amount.toString().padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
}
