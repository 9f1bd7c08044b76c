/** Cancel marks that say who asked; any other is the user's own. */
export const SUSPENDED = 'suspended';
export const OPERATOR = 'operator';
