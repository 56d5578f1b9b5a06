package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// densePhrases are what people put around the topic of a question in Chinese and Japanese: function words, and those
// with which they address whom they ask. They separate the other words, so that no pair has characters of both.
// Longer ones come before those that they contain. A dictionary to segment with would take 5 MB and more.
var densePhrases = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	for _, p := range strings.Fields(`
		还记不记得 還記不記得 你还记得 你還記得 记不记得 記不記得 还记得 還記得 记得 記得 为什么 為什麼 什么时候 什麼時候 什么 什麼 怎么样 怎麼樣
		怎么 怎麼 怎样 怎樣 如何 为何 為何 哪里 哪裡 哪个 哪個 哪些 多少 是否 是不是 有没有 有沒有 能不能 可不可以 可以 能否 请问 請問 告诉我 告訴我
		关于 關於 有关 有關 对于 對於 之前 以前 上次 当时 當時 做了 一下 一些 这个 這個 那个 那個 这些 這些 那些 这样 這樣 那样 那樣 因为 因為 所以 但是
		或者 以及 还是 還是 已经 已經 我们 我們 你们 你們 咱们 咱們 他们 他們 大家
		的 了 吗 嗎 呢 吧 啊 呀 么 麼 我 你 您 他 她 它 是 很 也 和 与 與 及 被 让 讓 谁 誰 这 這 那 哪
		覚えていますか 何ですか ですか でしょうか ますか 覚えてる 覚えて 教えてください 教えて について に関して に関する どのように どうして どうやって なぜ 何故 何を 何が 何で 何の 何
		いつ どこ どれ どの どう だれ 誰 私たち 私達 我々 私 以前 この その あの これ それ あれ ここ そこ`) {
		pairs = append(pairs, p, " ")
	}
	return strings.NewReplacer(pairs...)
})

// koreanEndings are particles and endings of verbs, koreanStops the words around the topic of a question, without
// them.
const koreanEndings = "는지 했지 었지 었나 했나 나요 습니 니다 은 는 이 가 을 를 에 의 로 와 과 서 게 고 요 까 했 하 된 되 던 려"

var koreanStops = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`무엇 무슨 뭐 뭘 어떻 어떤 어디 어느 언제 누가 누구 왜 우리 저희 대해 대한 관해 관한 관련 그리고 하지만 그 이 저
		그것 이것 있었 있 했었 했 기억 안녕 혹시 전에 지난번 알려줘 알려 말해줘 때문`) {
		m[w] = true
	}
	return m
})

// withoutPhrases returns a question in a script without spaces cut into what could be its topic; "" for one of
// phrases alone.
func withoutPhrases(question string) string {
	s := densePhrases().Replace(question)
	if strings.IndexFunc(s, isWord) < 0 {
		return ""
	}
	var b strings.Builder
	for len(s) > 0 {
		n := strings.IndexFunc(s, isHangul)
		if n != 0 {
			if n < 0 {
				n = len(s)
			}
			withoutParticles(&b, s[:n])
			s = s[n:]
			continue
		}
		if n = strings.IndexFunc(s, func(r rune) bool { return !isHangul(r) }); n < 0 {
			n = len(s)
		}
		b.WriteString(koreanStem(s[:n]))
		s = s[n:]
	}
	return b.String()
}

// koreanStem returns a written word without endings, of at least two syllables; "" for a stop word.
func koreanStem(w string) string {
	for {
		stem := ""
		for ending := range strings.FieldsSeq(koreanEndings) {
			if s, ok := strings.CutSuffix(w, ending); ok && utf8.RuneCountInString(s) >= 2 {
				stem = s
				break
			}
		}
		switch {
		case koreanStops()[w]:
			return ""
		case stem == "":
			return w
		}
		w = stem
	}
}

// withoutParticles writes s without Hiragana, which Japanese uses for particles and endings, but for the character
// after a Chinese one: that is mostly the ending of a word's own, as in 速い.
func withoutParticles(b *strings.Builder, s string) {
	var last rune
	for _, r := range s {
		switch {
		case !unicode.Is(unicode.Hiragana, r):
			b.WriteRune(r)
		case unicode.Is(unicode.Han, last) && !strings.ContainsRune("をはがのにでともへやかねよし", r):
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			b.WriteByte(' ')
		}
		last = r
	}
}

func isHangul(r rune) bool { return unicode.Is(unicode.Hangul, r) }
