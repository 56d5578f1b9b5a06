//go:build !unix

package gitchunks

// openAtOnce is not needed where folders have no pipes.
const openAtOnce = 0
