package kernel

// native returns the set in assembly: every arm64 processor has NEON.
func native() []*Set {
	return []*Set{{name: "neon", columns: 16, multiply: []multiplication{nil,
		multiplyNEONx1, multiplyNEONx2, multiplyNEONx3, multiplyNEONx4, multiplyNEONx5, multiplyNEONx6},
		gelu: geluNEON, expSum: expSumNEON, addNorm: addNormNEON, widen: widenNEON}}
}
