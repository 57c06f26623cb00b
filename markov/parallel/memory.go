package parallel

// DefaultMemory is the number of bytes that one computation may take if its caller sets no limit: 4 GiB. It is the default limit
// of solves, fits, simulations and logs alike, so that a command has one limit whatever it computes.
const DefaultMemory = 4 << 30
