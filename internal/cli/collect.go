package cli

import (
	"runtime"
	"runtime/debug"
)

// roomPercent is how far the memory of a command grows before any of it is collected, in
// percent of the 4 MiB from which on the runtime collects: to 32 MiB.
const roomPercent = 800

// collectLate puts the first garbage collection off. Most commands end before they have
// used that much, and a collection costs them a fifth of their time. Those that use more,
// such as an export, collect as usual from then on. Servers must not call it. Who has set
// GOGC knows better.
func collectLate() {
	const usual = 100
	if before := debug.SetGCPercent(roomPercent); before != usual {
		debug.SetGCPercent(before)
		return
	}
	onFirstCollection(func() { debug.SetGCPercent(usual) })
}

// onFirstCollection calls fn, on a goroutine of the runtime, once memory was collected.
func onFirstCollection(fn func()) {
	type unused struct{ _ [64]byte }
	runtime.AddCleanup(new(unused), func(fn func()) { fn() }, fn)
}
