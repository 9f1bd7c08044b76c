// sysexits.h, for the gateway and the `nightjar` command alike.

/** Wrong arguments. */
export const EXIT_USAGE = 64;
/** Something that is needed is not there: a port, a program, Redis. */
export const EXIT_UNAVAILABLE = 69;
/** A bug. */
export const EXIT_SOFTWARE = 70;
/** The configuration is at fault. */
export const EXIT_CONFIG = 78;
