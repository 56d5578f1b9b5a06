package vector_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// numbers draws a vector, including zeros, tiny and huge numbers.
func numbers(t *rapid.T, dimensions int, name string) []float32 {
	kind := rapid.OneOf(rapid.Float32Range(-1, 1), rapid.SampledFrom([]float32{0, 1e-38, -1e-45, 3e38, -3e38}))
	return rapid.SliceOfN(kind, dimensions, dimensions).Draw(t, name)
}

func plainDot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestCheck(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, tt := range []struct {
		name string
		v    []float32
		want engram.Code
	}{
		{"numbers", []float32{1, -2, 3e38}, ""},
		{"too few", []float32{1, 2}, engram.CodeInvalid},
		{"too many", []float32{1, 2, 3, 4}, engram.CodeInvalid},
		{"none", nil, engram.CodeInvalid},
		{"not a number", []float32{1, float32(math.NaN()), 3}, engram.CodeInvalid},
		{"infinite", []float32{inf, 1, 1}, engram.CodeInvalid},
		{"infinite below", []float32{1, 1, -inf}, engram.CodeInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := engram.CodeOf(vector.Check(tt.v, 3)); got != tt.want {
				t.Errorf("%v: got %q, want %q", tt.v, got, tt.want)
			}
		})
	}
}

func TestNormaliseMakesLengthOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := numbers(t, rapid.IntRange(0, 300).Draw(t, "dimensions"), "v")
		was := slices.Clone(v)
		ok := vector.Normalise(v)
		length := math.Sqrt(plainDot(v, v))
		zero := !slices.ContainsFunc(was, func(x float32) bool { return x != 0 })
		switch {
		case ok == zero:
			t.Fatalf("%v: reported %v", was, ok)
		case zero && !slices.Equal(v, was):
			t.Fatalf("a zero vector became %v", v)
		case !zero && math.Abs(length-1) > 1e-6:
			t.Fatalf("%v: length %v, want 1", was, length)
		}
	})
}

func TestDotIsTheSumOfProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "dimensions")
		a := rapid.SliceOfN(rapid.Float32Range(-1, 1), n, n).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Float32Range(-1, 1), n, n).Draw(t, "b")
		if got, want := vector.Dot(a, b), plainDot(a, b); math.Abs(got-want) > 1e-4 {
			t.Fatalf("%v · %v: got %v, want %v", a, b, got, want)
		}
	})
}

func TestARowIsRestoredToHalfItsScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := numbers(t, rapid.IntRange(0, 300).Draw(t, "dimensions"), "v")
		row := vector.AppendRow([]byte("kept"), v)
		if string(row[:4]) != "kept" || len(row) != 4+vector.RowBytes(len(v)) {
			t.Fatalf("%v: got %d bytes, opening with %q", v, len(row), row[:4])
		}
		got, ok := vector.Row(row[4:], len(v))
		if !ok {
			t.Fatalf("%v: the row cannot be read", v)
		}
		var most float64
		for _, x := range v {
			most = max(most, math.Abs(float64(x)))
		}
		for i := range v {
			// The smallest numbers have no finer scale than themselves.
			if off := math.Abs(float64(got[i]) - float64(v[i])); off > most/127*0.501+1e-43 {
				t.Fatalf("number %d of %v: got %v, want %v", i, v, got[i], v[i])
			}
		}
	})
}

func TestRowCosineIsTheCosineOfTheRestoredVector(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "dimensions")
		query := rapid.SliceOfN(rapid.Float32Range(-1, 1), n, n).Draw(t, "query")
		v := rapid.SliceOfN(rapid.Float32Range(-1, 1), n, n).Draw(t, "v")
		if !vector.Normalise(query) {
			return
		}
		row := vector.AppendRow(nil, v)
		restored, _ := vector.Row(row, n)
		got, ok := vector.RowCosine(query, row)
		some := vector.Normalise(restored)
		if ok != some || ok && math.Abs(got-plainDot(query, restored)) > 1e-5 {
			t.Fatalf("query %v\n    v %v\n  got %v, %v\n want %v, %v", query, v, got, ok, plainDot(query, restored), some)
		}
	})
}

func TestMalformedRowsAreRejected(t *testing.T) {
	good := vector.AppendRow(nil, []float32{1, 2, 3})
	for _, tt := range []struct {
		name string
		row  []byte
	}{
		{"nothing", nil},
		{"a byte short", good[:len(good)-1]},
		{"a byte long", append(slices.Clone(good), 0)},
		{"a scale below zero", append([]byte{0, 0, 0x80, 0xbf}, good[4:]...)},
		{"a scale that is no number", append([]byte{0, 0, 0xc0, 0x7f}, good[4:]...)},
		{"a scale without end", append([]byte{0, 0, 0x80, 0x7f}, good[4:]...)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if v, ok := vector.Row(tt.row, 3); ok {
				t.Errorf("%x: got %v", tt.row, v)
			}
			if c, ok := vector.RowCosine([]float32{1, 0, 0}, tt.row); ok {
				t.Errorf("%x: got a cosine of %v", tt.row, c)
			}
		})
	}
}

func TestHammingCountsTheSignsThatDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "dimensions")
		a, b := numbers(t, n, "a"), numbers(t, n, "b")
		want := 0
		for i := range a {
			if (a[i] > 0) != (b[i] > 0) {
				want++
			}
		}
		code := packed(nil, b)
		if len(code) != vector.SignBytes(n) || len(vector.Signs(a)) != vector.SignWords(n) {
			t.Fatalf("%d dimensions: %d words, %d bytes", n, len(vector.Signs(a)), len(code))
		}
		if got := vector.Hamming(vector.Signs(a), code); got != want {
			t.Fatalf("%v and %v: got %d, want %d", a, b, got, want)
		}
	})
}

// packed appends the sign code of v to dst.
func packed(dst []byte, v []float32) []byte {
	for _, w := range vector.Signs(v) {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

func TestTheCodeOfARowIsThatOfTheRestoredVector(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := numbers(t, rapid.IntRange(0, 300).Draw(t, "dimensions"), "v")
		row := vector.AppendRow(nil, v)
		restored, _ := vector.Row(row, len(v))
		// With a tiny scale a restored number may vanish, but not its sign.
		for i, c := range row[4:] {
			restored[i] = float32(int8(c))
		}
		got, points := vector.RowSigns([]byte{7}, row)
		if want := packed([]byte{7}, restored); !slices.Equal(got, want) {
			t.Fatalf("%v\n got %x\nwant %x", v, got, want)
		}
		if want := slices.ContainsFunc(restored, func(x float32) bool { return x != 0 }); points != want {
			t.Fatalf("%v: points %v, want %v", v, points, want)
		}
	})
}

func TestNearestCodesKeepsTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 63, 64, 65, 200, 256, 300}).Draw(t, "dimensions")
		words := vector.SignWords(n)
		code := rapid.SliceOfN(rapid.Uint64(), words, words).Draw(t, "code")
		most := rapid.IntRange(0, 20).Draw(t, "most")
		nearest := vector.NewNearestCodes(code, most)
		type come struct{ num, distance int }
		var all []come
		for page := range rapid.IntRange(0, 3).Draw(t, "pages") {
			slots := rapid.IntRange(0, 200).Draw(t, "slots")
			bytes := slots * vector.SignBytes(n)
			packed := rapid.SliceOfN(rapid.Byte(), bytes, bytes).Draw(t, "packed")
			among := rapid.SliceOfN(rapid.Uint64(), 0, 4).Draw(t, "among")
			refused := rapid.MapOf(rapid.IntRange(0, 200), rapid.Just(true)).Draw(t, "refused")
			pass := func(slot int) bool { return !refused[slot] }
			if len(refused) == 0 {
				pass = nil
			}
			for i := slots - 1; i >= 0; i-- {
				if i/64 < len(among) && among[i/64]>>(i%64)&1 == 1 && !refused[i] {
					d := 0
					for w := range words {
						for k := range 8 {
							d += bits.OnesCount8(byte(code[w]>>(8*k)) ^ packed[i*words*8+w*8+k])
						}
					}
					all = append(all, come{1000*page + i, d})
				}
			}
			nearest.Scan(packed, among, int64(1000*page), pass)
		}
		best := slices.Clone(all)
		slices.SortStableFunc(best, func(a, b come) int { return a.distance - b.distance })
		best = best[:min(most, len(best))]
		var want []int64
		for _, c := range all {
			if slices.Contains(best, c) {
				want = append(want, int64(c.num))
			}
		}
		if got := nearest.Found(nil); !slices.Equal(got, want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
	})
}

func TestTopKeepsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(-1, 30).Draw(t, "most")
		scores := rapid.SliceOfN(rapid.SampledFrom([]float64{-1, 0, 0.5, 0.5, 0.7, math.Inf(1), math.NaN()}), 0, 100).Draw(t, "scores")
		var want []engram.Ranked
		top := vector.NewTop(most)
		for i, s := range scores {
			top.Offer(int64(i), s)
			if s == s {
				want = append(want, engram.Ranked{Num: int64(i), Score: s})
			}
		}
		sortRanked(want)
		want = want[:min(max(most, 0), len(want))]
		if top.Len() != len(want) {
			t.Fatalf("%v: keeps %d, want %d", scores, top.Len(), len(want))
		}
		if got := top.Ranked(); !slices.Equal(got, want) {
			t.Fatalf("%v\n got %v\nwant %v", scores, got, want)
		}
		if top.Len() != 0 {
			t.Fatalf("still keeps %d", top.Len())
		}
	})
}

func sortRanked(rs []engram.Ranked) {
	slices.SortFunc(rs, func(a, b engram.Ranked) int {
		switch {
		case a.Score > b.Score || a.Score == b.Score && a.Num > b.Num:
			return -1
		default:
			return 1
		}
	})
}

func TestSizesMarkNumbersFarFromZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float32Range(-1, 1), 0, 300).Draw(t, "v")
		row := vector.AppendRow(nil, v)
		got := vector.RowSizes([]byte{7}, row)
		if len(got) != 1+vector.SignBytes(len(v)) || got[0] != 7 {
			t.Fatalf("%v: got %x", v, got)
		}
		var squares float64
		for _, c := range row[4:] {
			squares += float64(int8(c)) * float64(int8(c)) / float64(len(v))
		}
		for i, c := range row[4:] {
			off := math.Abs(float64(int8(c))) - 0.6745*math.Sqrt(squares)
			if far := got[1+i/8]>>(i%8)&1 == 1; far != (off > 0) && math.Abs(off) > 1e-9 {
				t.Fatalf("number %d of %v: far %v, %v from the mark", i, v, far, off)
			}
		}
	})
}

func TestNearnessIsTheDotProductWithTheLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "dimensions")
		query := rapid.SliceOfN(rapid.Float32Range(-1, 1), n, n).Draw(t, "query")
		row := vector.AppendRow(nil, rapid.SliceOfN(rapid.Float32Range(-1, 1), n, n).Draw(t, "v"))
		signs, _ := vector.RowSigns(nil, row)
		sizes := vector.RowSizes(nil, row)
		var want float64
		for i, q := range query {
			level := 0.325
			if sizes[i/8]>>(i%8)&1 == 1 {
				level = 1.271
			}
			if signs[i/8]>>(i%8)&1 == 0 {
				level = -level
			}
			want += float64(q) * level
		}
		e := vector.NewEstimator(query)
		if got := e.Nearness(signs, sizes); math.Abs(got-want) > 1e-4 {
			t.Fatalf("got %v, want %v", got, want)
		}
		if got := e.Nearness(nil, sizes); got != 0 {
			t.Fatalf("without signs: got %v", got)
		}
	})
}

func BenchmarkEstimator(b *testing.B) {
	v := make([]float32, 256)
	for i := range v {
		v[i] = float32(i*i%31) - 15
	}
	row := vector.AppendRow(nil, v)
	signs, _ := vector.RowSigns(nil, row)
	sizes := vector.RowSizes(nil, row)
	b.Run("New", func(b *testing.B) {
		for b.Loop() {
			vector.NewEstimator(v)
		}
	})
	e := vector.NewEstimator(v)
	b.Run("Nearness", func(b *testing.B) {
		for b.Loop() {
			e.Nearness(signs, sizes)
		}
	})
}

func BenchmarkNearestCodes(b *testing.B) {
	for _, slots := range []int{100_000, 1_000_000} {
		for _, part := range []uint64{^uint64(0), 0x8000_0100_0020_0004} { // all, one in sixteen
			b.Run(fmt.Sprintf("codes=%d/part=%d_64", slots, bits.OnesCount64(part)), func(b *testing.B) {
				packed := make([]byte, slots*vector.SignBytes(256))
				x := uint64(1)
				for i := range packed {
					x = x*6364136223846793005 + 1442695040888963407
					packed[i] = byte(x >> 56)
				}
				among := make([]uint64, (slots+63)/64)
				for i := range among {
					among[i] = part
				}
				code := []uint64{x, x * 3, x * 5, x * 7}
				for b.Loop() {
					s := vector.NewNearestCodes(code, 4000)
					s.Scan(packed, among, 0, nil)
					s.Found(nil)
				}
			})
		}
	}
}

func BenchmarkRowCosine(b *testing.B) {
	v := make([]float32, 256)
	for i := range v {
		v[i] = float32(i%17) - 8
	}
	row := vector.AppendRow(nil, v)
	vector.Normalise(v)
	for b.Loop() {
		vector.RowCosine(v, row)
	}
}

// Rows that follow each other are read one by one; the nearest of them counts.
func TestRowsOfPassages(t *testing.T) {
	const dimensions = 5
	vs := []float32{1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0.6, 0.8, 0, 0, 0}
	rows := vector.AppendRows(nil, vs, dimensions)
	if n := vector.Rows(rows, dimensions); n != 4 || len(rows) != 4*vector.RowBytes(dimensions) {
		t.Fatalf("%d rows in %d bytes", n, len(rows))
	}
	got := make([]float32, len(vs))
	if !vector.ReadRows(got, rows, dimensions) {
		t.Fatal("rows cannot be read")
	}
	for i := range vs {
		if math.Abs(float64(got[i]-vs[i])) > 0.005 {
			t.Errorf("number %d: got %v, want %v", i, got[i], vs[i])
		}
	}
	if first := vector.First(rows, dimensions); !slices.Equal(first, vector.AppendRow(nil, vs[:dimensions])) || vector.First(nil, dimensions) != nil {
		t.Errorf("first row: %v", first)
	}
	for _, tt := range []struct {
		question []float32
		at       int
		cosine   float64
	}{
		{[]float32{1, 0, 0, 0, 0}, 0, 1}, {[]float32{0, 1, 0, 0, 0}, 1, 1}, {[]float32{0.8, 0.6, 0, 0, 0}, 3, 0.96}, {[]float32{-1, 0, 0, 0, 0}, 1, 0},
	} {
		row, cosine, ok := vector.Nearest(tt.question, rows)
		want := vector.AppendRow(nil, vs[tt.at*dimensions:(tt.at+1)*dimensions])
		if !ok || math.Abs(cosine-tt.cosine) > 0.005 || !slices.Equal(row, want) {
			t.Errorf("%v: got %v, %v, %t, want row %d, %v", tt.question, row, cosine, ok, tt.at, tt.cosine)
		}
	}
	if _, _, ok := vector.Nearest(vs[:dimensions], vector.AppendRow(nil, make([]float32, dimensions))); ok {
		t.Error("a zero vector is near")
	}
	damaged := slices.Clone(rows)
	copy(damaged[vector.RowBytes(dimensions):], []byte{0, 0, 0xc0, 0x7f}) // a scale that is not a number
	for _, bad := range [][]byte{nil, rows[:len(rows)-1], damaged} {
		if vector.ReadRows(got, bad, dimensions) {
			t.Errorf("%d bytes are read", len(bad))
		}
	}
	for n, want := range map[int]bool{0: false, 4: false, 5: true, 7: false, 10: true, 33 * 5: true, 34 * 5: false} {
		if err := vector.CheckPassages(make([]float32, n), dimensions); (err == nil) != want {
			t.Errorf("%d numbers: %v", n, err)
		}
	}
}

func TestMeanIsADirection(t *testing.T) {
	for _, tt := range []struct{ vectors, want [][]float32 }{
		{[][]float32{{3, 4}}, [][]float32{{3, 4}}},
		{[][]float32{{1, 0}, {0, 1}}, [][]float32{{math.Sqrt2 / 2, math.Sqrt2 / 2}}},
		{[][]float32{{1, 0}, {-1, 0}}, [][]float32{{1, 0}}},
	} {
		if got := vector.Mean(tt.vectors); math.Abs(float64(got[0]-tt.want[0][0])) > 1e-6 || math.Abs(float64(got[1]-tt.want[0][1])) > 1e-6 {
			t.Errorf("%v: got %v, want %v", tt.vectors, got, tt.want[0])
		}
	}
}
