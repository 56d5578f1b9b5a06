// Package walk reads long lists page by page, so that no operation holds a whole store in memory, and has the few
// functions on slices that every room of the engine uses.
package walk
