/** What is written for a sample that has no usable stack. */
export const NO_STACK = '(no stack)';
