// Package view has readers over a Reader: the store as it was at a past time, rebuilt from the journal, and what a
// filter lets pass.
package view
