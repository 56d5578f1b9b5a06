package vector

import "golang.org/x/sys/cpu"

// counts reports whether the processor counts the bits of several words at once, which takes a third of the time.
var counts = cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW

// within64 sets distances to those of 64 codes of 32 bytes, and returns which are at most limit. It needs counts.
//
//go:noescape
func within64(code *[4]uint64, codes *byte, distances *[64]int32, limit int32) uint64
