/** The whole stack of a sample whose own is deeper than what our sampler reads: such a sample has its state, and no function. */
export const TOO_DEEP = '<stack too deep to be read>';
