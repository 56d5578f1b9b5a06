package text

import (
	"strings"
	"sync"
)

// englishStops are English words without a topic: articles, pronouns, prepositions, auxiliaries and question
// words. Contractions have no apostrophe, as Scan returns them. Words that are also technical names (go, make,
// set) are left out; words used mostly as grammar (will, may, can) are included.
const englishStops = `
	a an the this that these those some any each every either neither both all such same other another
	i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
	she her hers herself it its itself they them their theirs themselves one ones someone somebody something
	anyone anybody anything everyone everything nobody nothing
	who whom whose which what when where why how
	of in on at by for with about against between into through during before after above below to from up down
	out off over under again further then once here there than as until while because so if or and but nor not no
	only own too very just also even ever still yet now more most much many few less least
	am is are was were be been being have has had having do does did doing done will would shall should can could
	may might must ought
	im ive id ill youre youve youd youll hes shes its were weve theyre theyve theyll thats whats wheres whos hows
	isnt arent wasnt werent hasnt havent hadnt doesnt dont didnt wont wouldnt shant shouldnt cant cannot couldnt
	mustnt neednt lets
	s t d m re ve ll o y`

// foreignStops are the stop words of other languages, by language in the order of the constants: function words,
// and those with which people address whom they ask. A star marks one that English texts use as well, as a word
// or a name; it says nothing about the language.
//
// Source: extracts from the stop words that Snowball publishes, https://snowballstem.org/algorithms.
var foreignStops = [languages]string{
	`og i at det den de en* et* som på af for med til fra om ved hos mod* under mellem uden efter inden gennem men* eller
	samt ikke ej er var* være været bliver blev blive blevet har havde have haft kan kunne skal skulle vil ville må
	måtte far* får* fik gør gjorde gjort jeg du han* hun* vi* i dem dig* mig sig* os* jer ham hende min* mit* mine din dit
	dine sin* sit* sine* vores jeres hans* hendes deres denne dette disse nogen noget nogle ingen intet alle alt* hver
	hvem hvad hvornår hvor hvordan hvorfor hvilken hvilket hvilke der* her nu da så* også meget mere* kun end*
	hej tak husker venligst`,
	`de het een der* den* des en* van* of maar want* dus noch dat* die* dit deze wie wat* wanneer waar hoe* waarom welke
	welk ik jij je u hij zij ze wij we jullie mij me jou hem haar ons onze hun* hen* mijn jouw zijn uw zich er daar hier
	toen nu dan* al* ook nog niet geen wel zo als om te tot* van* voor door* met* bij naar uit aan op* in over onder tegen
	tussen zonder sinds na is was waren ben* bent* wordt worden werd werden geworden geweest heb heeft hebben had hadden
	kan kunnen kon konden moet moeten moest zal zullen zou zouden wil willen mag* doen doet deed* gedaan iets iemand niets
	niemand alles alle veel meer zeer elk* elke ander* andere omdat hallo dank* bedankt herinner weet weten zeg vertel alsjeblieft`,
	`ja tai mutta vaan eli koska kun jos että niin kuin ei en* et* emme ette eivät ole olen olet on olemme olette ovat oli
	olin olivat ollut olla olisi minä sinä hän me te he minun sinun hänen meidän teidän heidän minua meille meillä meitä
	se sen* sitä siinä siitä siihen ne niiden niitä tämä tämän tätä tässä tästä nämä nuo tuo kuka ketkä mikä mitä mitkä
	minkä missä mistä mihin milloin miksi miten joka jotka jonka jota jossa josta johon joita joiden kuinka
	myös vielä jo* nyt sitten vain* hyvin kanssa mukaan noin yli kaikki kaikkia mitään jotain joku jokin voi voiko pitää
	piti hei moi kiitos muistatko muistaa kerro tiedämme`,
	`le la les l un* une des du de d au* aux* a et* ou mais donc or ni car* que qu qui quoi dont quand comment* pourquoi
	combien quel quelle quels quelles lequel laquelle ce cet cette ces c ca* cela ceci celui celle ceux celles je j tu il
	elle on nous vous ils elles me m te t se s lui leur leurs y en* mon ma* mes ton* ta tes son* sa* ses notre nos* votre vos
	ne n pas plus* moins rien jamais aussi très trop peu tout toute tous toutes chaque aucun aucune autre autres même mêmes
	si dans sur par* pour* avec sans chez entre vers contre depuis pendant avant après est* sont était étaient suis es*
	sommes êtes été être sera seront serait soit fut* ai* as avons avez ont avait avaient avoir eu* aura fait faire faut
	peut peuvent pouvons peux doit doivent dois comme parce puis alors encore déjà ici là ainsi
	bonjour salut merci rappelles souviens souvient rappelle dis sais savons plaît`,
	`der* die* das den* dem* des ein eine einen einem einer eines und oder aber denn sondern doch nicht kein keine keinen
	keinem keiner nur auch noch schon mal nochmal eben ich du er sie es* wir ihr mich mir dich dir* ihn ihm uns euch ihnen
	mein meine meinen meinem dein deine sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere unseren unserem
	unserer euer eure sich man* wer wen wem was wann wo wohin woher wie wieso warum weshalb welche welcher welches welchen
	welchem dieser diese dieses diesen diesem jene jener jenes jeder jede jedes jeden alle allen* aller alles einige manche
	viel viele mehr sehr so als wenn weil dass ob damit dann da dort hier jetzt nun in im* ins an am ans* auf aus bei beim
	bis durch für* gegen ohne mit* nach seit über* um unter von* vom vor wegen zu zum zur zwischen ist sind war* waren
	bin* bist sei wird werden wurde wurden worden hat* habe haben hatte hatten habt hast gehabt kann können konnte muss
	müssen soll sollen sollte will wollen wollte darf dürfen mag* etwas nichts jemand niemand wieder immer zwar also ja nein
	hallo bitte danke erinnerst erinnern sag weiß wissen`,
	`il lo* la i gli le l un* uno una di* a da in con* su* per* tra fra del* dello della dell* dei degli delle al* allo alla
	all ai* agli alle dal dallo dalla dall dai dagli dalle nel nello nella nell nei negli nelle sul sullo sulla sull sui
	sugli sulle e ed* o ma* se che chi* cui quale quali quando dove* come* perché quanto quanti quanta quante cosa non* no sì
	già ancora anche solo* molto più meno così tutto tutta tutti tutte ogni altro altra altri altre stesso stessa questo
	questa questi queste quello quella quelli quelle ciò io* tu lui lei noi voi loro mi* ti ci* vi* ne mio mia miei mie tuo tua
	suo sua suoi sue* nostro nostra nostri nostre è sono sei siamo siete era* erano fu stato stata stati state* essere sia
	sta stiamo ho hai ha* abbiamo avete hanno aveva avevano avere può possono possiamo fare* fa* fatto poi prima dopo ora qui
	lì sempre mai qualcosa qualcuno niente nessuno ciao grazie ricordi ricorda ricordare dimmi sai sappiamo`,
	`og i at det den de en* et* ei som på av for med til fra om ved hos mot under mellom uten etter innen gjennom men* eller
	samt ikke er var* vært blir ble* bli blitt har hadde ha* hatt kan kunne skal skulle vil ville må måtte får* fikk gjør
	gjorde gjort jeg du han* hun* vi* dere dem deg* meg seg oss ham* henne min* mitt mine din ditt dine sin* sitt sine* vår* våre
	hans* hennes deres denne dette disse noen noe ingen intet alle alt* hver hvem hva når hvor hvordan hvorfor hvilken hvilket
	hvilke der* her nå da så* også mye mer bare* enn hei takk husker vet*`,
	`o a os* as um uma uns umas de do da dos* das em* no na nos* nas num* numa por pelo pela pelos pelas para* pra com* sem
	sobre entre até desde após contra e ou mas nem que quem qual quais quando onde como quanto quantos quanta quantas porque
	se não sim* já ainda também só muito muita muitos muitas mais menos tão tudo todo* toda todos* todas algo* alguém algum
	alguma alguns algumas nada ninguém nenhum nenhuma cada outro outra outros outras mesmo mesma este esta estes estas esse
	essa esses essas isso isto aquele aquela aquilo eu* tu ele ela eles elas você vocês me te lhe lhes meu minha meus minhas
	seu sua seus suas nosso nossa nossos nossas dele dela deles delas é são era* eram foi foram ser* sido sendo estar está
	estão estava estavam tem* tinha tinham temos ter* teve ha* havia pode podem podemos fazer faz fez aqui ali lá então depois
	antes agora sempre nunca ao aos olá obrigado obrigada lembra lembras lembrar diga sabe sabemos`,
	`и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет
	о из ему теперь когда даже ну ли если уже или ни быть был него до вас нибудь вам ведь там потом себя ничего ей может они
	тут где есть надо ней для мы тебя их чем была сам чтоб чтобы без будто чего раз тоже себе под будет ж тогда кто этот того
	потому этого какой какая какие такое такой каком какого какую здесь этом один почти мой тем нее были куда зачем всех можно при об обо
	про над между через после перед эти нас нам наш наша наши нашей нашем это эта эту этой том тот та те свой своей который
	которая которое которые которых почему сколько привет пожалуйста спасибо помнишь помните напомни скажи скажите знаешь знаем`,
	`el* la los* las* un* una unos unas lo* al* del* de a ante con* contra desde en* entre hacia hasta para* por según sin*
	sobre tras y e o u ni que quien quienes cual cuales cuyo cuando donde como cuanto cuantos cuanta cuantas porque pero sino
	si no tampoco también ya* muy mas menos tan* tanto todo* toda todos* todas algo* alguien algún alguna algunos algunas nada
	nadie ningún ninguna cada otro otra otros otras mismo misma este esta estos estas ese esa esos esas eso esto aquel aquella
	yo tu él* ella ellos ellas usted ustedes nosotros nosotras me te se nos* les le mi* mis su* sus nuestro nuestra nuestros
	nuestras es* son* era* eran fue fueron ser* sido siendo está están estaba estaban estado estar hay* había haber he has
	ha* hemos han* habían tiene tienen tenía tenemos tener tuvo tuvimos puede pueden podemos hacer hace hacen hizo hicimos aquí allí ahí
	así entonces luego después antes durante mientras solo* siempre nunca aún todavía
	hola gracias recuerdas acuerdas recordar dime* sabes sabemos`,
	`och att det den de i en* ett som på av för med till* från om vid hos mot under mellan utan efter före innan genom men*
	eller samt inte ej icke är var* vara varit blir blev bli blivit har hade ha* haft kan kunde ska skall skulle vill måste
	far* får* fick gör gjorde gjort jag du han* hon vi* ni dem dig* mig sig* oss er honom henne min* mitt mina din ditt dina
	sin* sitt sina vår* vårt våra hans* hennes deras denna detta dessa någon något några ingen inget inga alla allt varje vem
	vad när hur varför vilken vilket vilka där här nu då så* också mycket mer bara än även hej tack minns ihåg säg vet*`,
}

// stopWord says in which languages a word is a stop word, and which of them it tells of. One of English and others
// tells nothing.
type stopWord struct {
	stops, tells Language
	english      bool
}

// stopTable holds the stop words of all languages by folded word. Every word of every text is looked up, so that
// those of up to eight bytes are numbers.
type stopTable struct {
	short [2048]struct { // by hash, the next free place if it is taken
		word uint64
		is   stopWord
	}
	long map[string]stopWord
}

// stops returns the table. It is built when the first text is read, which takes a tenth of a millisecond.
var stops = sync.OnceValue(func() *stopTable {
	t := &stopTable{long: make(map[string]stopWord, 256)}
	for w := range strings.FieldsSeq(englishStops) {
		t.at(w, func(s *stopWord) { s.english = true })
	}
	for i, words := range foreignStops {
		for w := range strings.FieldsSeq(words) {
			w, starred := strings.CutSuffix(w, "*")
			t.at(fold(w), func(s *stopWord) {
				s.stops |= 1 << i
				if !starred && !s.english {
					s.tells |= 1 << i
				}
			})
		}
	}
	return t
})

// at calls set with the entry of a word.
func (t *stopTable) at(w string, set func(*stopWord)) {
	if len(w) > 8 {
		s := t.long[w]
		set(&s)
		t.long[w] = s
		return
	}
	n := pack(w)
	i := t.place(n)
	t.short[i].word = n
	set(&t.short[i].is)
}

// of returns what is known of a folded word; the zero stopWord for others.
func (t *stopTable) of(w string) stopWord {
	if len(w) > 8 {
		return t.long[w]
	}
	return t.short[t.place(pack(w))].is
}

// place returns where a packed word is, or the free place for it.
func (t *stopTable) place(n uint64) uint64 {
	i := n * 0x9e3779b97f4a7c15 >> 53 // Fibonacci hashing, to 11 bits
	for t.short[i].word != n && t.short[i].word != 0 {
		i = (i + 1) & uint64(len(t.short)-1)
	}
	return i
}

// pack returns a word of up to eight bytes as a number.
func pack(w string) (n uint64) {
	for i := range len(w) {
		n = n<<8 | uint64(w[i])
	}
	return n
}
