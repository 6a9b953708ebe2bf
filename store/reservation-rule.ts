/** Money under a cap, in billionths of a dollar: what was set aside or has been spent, and for how many items it is still set aside. */
export type Purse = { amount: number; open: number };

export type Verdict = 'reserved' | 'wait' | 'never';

/**
 * Whether so much more may be set aside under a cap. `wait`: others may still cost less than was set aside for them; `never`: what is left is
 * too little, and stays so. An amount that is exactly what is left is given.
 */
export const verdictOn = ({ amount, open }: Purse, most: number, total: number): Verdict =>
  amount + most <= total ? 'reserved' : open > 0 ? 'wait' : 'never';

/**
 * Whether an item may go on with what is set aside for it, `most`, after it has spent so much. It is as at its beginning: a turn of it and
 * what others have spent and set aside must fit under the cap, and what it may cost is not to have been spent already.
 */
export const verdictOnMore = (others: Purse, { spent, most }: { spent: number; most: number }, total: number): Verdict =>
  spent >= most ? 'never' : verdictOn(others, most, total);
