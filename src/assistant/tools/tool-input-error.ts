/** The arguments are refused; the message is written for whoever sent them. */
export class ToolInputError extends Error {}
