package encodertest

import (
	"fmt"
	"math"
)

// Hidden returns the last layer's vectors, one per token.
func (m *Model) Hidden(ids, types []int32) [][]float64 {
	s := m.Shape
	x := make([][]float64, len(ids))
	for i, id := range ids {
		x[i] = make([]float64, s.Hidden)
		kind := 0
		if !s.XLMR {
			kind = int(types[i])
		}
		m.add(x[i], "embeddings.word_embeddings.weight", int(id))
		m.add(x[i], "embeddings.position_embeddings.weight", i+s.offset())
		m.add(x[i], "embeddings.token_type_embeddings.weight", kind)
		m.norm(x[i], "embeddings")
	}
	for l := range s.Layers {
		layer := fmt.Sprintf("encoder.layer.%d.", l)
		self := layer + "attention.self."
		attended := m.attend(m.linear(x, self+"query"), m.linear(x, self+"key"), m.linear(x, self+"value"))
		m.addNorm(x, m.linear(attended, layer+"attention.output.dense"), layer+"attention.output")
		inner := m.linear(x, layer+"intermediate.dense")
		for _, row := range inner {
			for i, v := range row {
				row[i] = 0.5 * v * (1 + math.Erf(v/math.Sqrt2))
			}
		}
		m.addNorm(x, m.linear(inner, layer+"output.dense"), layer+"output")
	}
	return x
}

// attend returns, for each token, the mean of all tokens' values weighted by the softmax of its query times their keys.
func (m *Model) attend(q, k, v [][]float64) [][]float64 {
	size := m.Shape.Hidden / m.Shape.Heads
	out := make([][]float64, len(q))
	for i := range q {
		out[i] = make([]float64, m.Shape.Hidden)
		for from := 0; from < m.Shape.Hidden; from += size {
			weights, sum := make([]float64, len(k)), 0.0
			for j := range k {
				weights[j] = math.Exp(dot(q[i][from:from+size], k[j][from:from+size]) / math.Sqrt(float64(size)))
				sum += weights[j]
			}
			for j := range v {
				for d := range size {
					out[i][from+d] += weights[j] / sum * v[j][from+d]
				}
			}
		}
	}
	return out
}

// Embedding returns the pooled vector of length 1.
func (m *Model) Embedding(ids, types []int32) []float64 {
	x := m.Hidden(ids, types)
	v := make([]float64, m.Shape.Hidden)
	if m.Shape.CLS {
		x = x[:1]
	}
	for _, row := range x {
		for i := range v {
			v[i] += row[i]
		}
	}
	length := math.Sqrt(dot(v, v))
	for i := range v {
		v[i] /= length
	}
	return v
}

// Logit returns the score of a pair by the model's classifier.
func (m *Model) Logit(ids, types []int32) float64 {
	first := m.Hidden(ids, types)[:1]
	names := [2]string{"pooler.dense", "classifier"}
	if m.Shape.XLMR {
		names = [2]string{"classifier.dense", "classifier.out_proj"}
	}
	h := m.linear(first, names[0])
	for i, v := range h[0] {
		h[0][i] = math.Tanh(v)
	}
	return m.linear(h, names[1])[0][0]
}

// get returns a tensor, whose name has the model's prefix or has none.
func (m *Model) get(name string) []float32 {
	if w, ok := m.weights[m.Shape.prefix()+name]; ok {
		return w
	}
	return m.weights[name]
}

func (m *Model) add(x []float64, name string, row int) {
	w := m.get(name)
	for i := range x {
		x[i] += float64(w[row*len(x)+i])
	}
}

func (m *Model) linear(x [][]float64, name string) [][]float64 {
	w, bias := m.get(name+".weight"), m.get(name+".bias")
	out := make([][]float64, len(x))
	for i, row := range x {
		out[i] = make([]float64, len(bias))
		for j := range bias {
			out[i][j] = float64(bias[j])
			for k, v := range row {
				out[i][j] += v * float64(w[j*len(row)+k])
			}
		}
	}
	return out
}

func (m *Model) addNorm(x, y [][]float64, name string) {
	for i := range x {
		for j := range x[i] {
			x[i][j] += y[i][j]
		}
		m.norm(x[i], name)
	}
}

func (m *Model) norm(x []float64, name string) {
	gain, bias := m.get(name+".LayerNorm.weight"), m.get(name+".LayerNorm.bias")
	mean, variance, n := 0.0, 0.0, float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / n
	}
	for i, v := range x {
		x[i] = (v-mean)/math.Sqrt(variance+m.Shape.eps())*float64(gain[i]) + float64(bias[i])
	}
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
