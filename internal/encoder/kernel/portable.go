package kernel

import "math"

// portable is the set for every processor, in Go.
func portable() *Set {
	return &Set{name: "portable", multiply: []multiplication{nil, multiply1, multiply2}, columns: Width,
		gelu: gelu, expSum: expSum, addNorm: addNorm, widen: widen}
}

// multiply1 is the multiplication of one row, four columns at a time: their sums stay in registers.
func multiply1(k int, a []float32, _ int, b, c []float32, _ int, bias []float32) {
	a = a[:k]
	for j := 0; j < Width; j += 4 {
		at := c[j : j+4 : j+4]
		from := at
		if len(bias) > 0 {
			from = bias[j : j+4 : j+4]
		}
		c0, c1, c2, c3 := from[0], from[1], from[2], from[3]
		w := b[j:]
		for i, x := range a {
			if i > 0 {
				w = w[Width:]
			}
			v := w[:4:4]
			c0 += x * v[0]
			c1 += x * v[1]
			c2 += x * v[2]
			c3 += x * v[3]
		}
		at[0], at[1], at[2], at[3] = c0, c1, c2, c3
	}
}

// multiply2 is the multiplication of two rows: with more, amd64 would run out of registers.
func multiply2(k int, a []float32, lda int, b, c []float32, ldc int, bias []float32) {
	a0, a1 := a[:k], a[lda:][:k]
	for j := 0; j < Width; j += 4 {
		c0, c1 := c[j:j+4:j+4], c[ldc+j:ldc+j+4:ldc+j+4]
		f0, f1 := c0, c1
		if len(bias) > 0 {
			f0 = bias[j : j+4 : j+4]
			f1 = f0
		}
		c00, c01, c02, c03 := f0[0], f0[1], f0[2], f0[3]
		c10, c11, c12, c13 := f1[0], f1[1], f1[2], f1[3]
		w := b[j:]
		for i, x := range a0 {
			if i > 0 {
				w = w[Width:]
			}
			v := w[:4:4]
			y := a1[i]
			c00 += x * v[0]
			c10 += y * v[0]
			c01 += x * v[1]
			c11 += y * v[1]
			c02 += x * v[2]
			c12 += y * v[2]
			c03 += x * v[3]
			c13 += y * v[3]
		}
		c0[0], c0[1], c0[2], c0[3] = c00, c01, c02, c03
		c1[0], c1[1], c1[2], c1[3] = c10, c11, c12, c13
	}
}

func gelu(x []float32) {
	for i, v := range x {
		x[i] = float32(0.5 * float64(v) * (1 + math.Erf(float64(v)*(math.Sqrt2/2))))
	}
}

func expSum(x []float32, scale float32) float32 {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	var sum float32
	for i, v := range x {
		e := float32(math.Exp(max(-87, float64(scale)*float64(v-top))))
		x[i] = e
		sum += e
	}
	return sum
}

func addNorm(x, r, gain, bias []float32, eps float32) {
	n := len(gain)
	var sum, squares float64
	for i := range n {
		x[i] += r[i]
		sum += float64(x[i])
	}
	mean := sum / float64(n)
	for _, v := range x[:n] {
		d := float64(v) - mean
		squares += d * d
	}
	inverse := 1 / math.Sqrt(squares/float64(n)+float64(eps))
	for i, v := range x[:n] {
		x[i] = float32((float64(v)-mean)*inverse)*gain[i] + bias[i]
	}
}

// widen turns weights of a panel, int8 as bytes, into numbers: dst = src × scale of the column.
func widen(dst []float32, src []byte, scale []float32) {
	scale = scale[:Width]
	for len(src) >= Width {
		row, to := src[:Width], dst[:Width]
		for j, s := range scale {
			to[j] = float32(int8(row[j])) * s
		}
		src, dst = src[Width:], dst[Width:]
	}
}
