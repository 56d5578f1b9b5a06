//go:build !unix

package gitchunks

// openAtOnce is nothing where no folder has pipes.
const openAtOnce = 0
