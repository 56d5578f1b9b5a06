package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// asked is a question and the memory that answers it, from 1.
type asked struct {
	query string
	want  int
}

// spoken is a language with eight notes, each a title and a content, and questions about them: keywords, other forms
// of the words, whole questions and chatty ones.
type spoken struct {
	name      string
	notes     [8]string
	questions []asked
	wrappers  []string  // of chatty questions about a thing
	things    [8]string // by note
}

var spokenLanguages = []spoken{
	{"Spanish", [8]string{
		"Bloqueo para las migraciones|Decidimos que las migraciones de la base de datos toman un bloqueo consultivo, porque dos instancias las ejecutaban a la vez al arrancar.",
		"La caché devolvía precios antiguos|El error era que la clave de la caché no incluía la moneda. Ahora caduca a los diez minutos y se invalida al guardar.",
		"Despliegues solo por la mañana|No se despliega los viernes ni después de las cuatro: nadie vigila las alarmas durante la noche.",
		"Duración de los tokens de acceso|Los tokens duran quince minutos y los de renovación treinta días; al cerrar la sesión se revocan todos.",
		"Reintentos con espera creciente|La cola de correo reintenta cinco veces con espera exponencial y después deja el mensaje en la cola de fallidos.",
		"El disco se llenó de registros|La rotación de los registros estaba desactivada en los servidores nuevos y el disco se llenó en tres días.",
		"Revisión de código obligatoria|Cada cambio necesita la aprobación de otra persona, también los cambios pequeños en la documentación.",
		"Pruebas lentas en el servidor de integración|Las pruebas tardaban veinte minutos porque cada una creaba su propia base; ahora comparten una plantilla.",
	}, []asked{
		{"bloqueo migraciones", 1}, {"migración bloqueada", 1}, {"despliegue viernes", 3}, {"registro disco", 6}, {"revisar cambio", 7},
		{"¿por qué tardaban tanto las pruebas?", 8}, {"¿cuánto dura un token de acceso?", 4}, {"¿cómo se reintenta el envío de correos?", 5},
		{"hola, ¿te acuerdas de qué decidimos sobre las migraciones de la base de datos?", 1},
		{"oye, ¿recuerdas por qué la caché nos devolvía un precio antiguo?", 2},
		{"¿me puedes decir qué pasó con el disco que se llenó?", 6},
	}, []string{"hola, ¿recuerdas algo de %s?", "¿qué sabemos de %s?", "dime todo lo que tenemos sobre %s, por favor", "¿tuvimos alguna vez un problema con %s?"},
		[8]string{"una migración bloqueada", "los precios antiguos en la caché", "un despliegue el viernes", "el token de acceso", "el reintento de los correos", "los discos llenos", "las revisiones de código", "una prueba lenta"}},
	{"German", [8]string{
		"Sperre für Migrationen|Wir haben entschieden, dass Migrationen der Datenbank eine beratende Sperre nehmen, weil zwei Instanzen sie beim Start gleichzeitig ausführten.",
		"Zwischenspeicher lieferte alte Preise|Der Fehler war, dass der Schlüssel des Zwischenspeichers die Währung nicht enthielt. Er läuft jetzt nach zehn Minuten ab und wird beim Speichern verworfen.",
		"Auslieferung nur am Vormittag|Freitags und nach vier Uhr wird nicht ausgeliefert: nachts schaut niemand auf die Alarme.",
		"Gültigkeit der Zugangstoken|Die Token gelten fünfzehn Minuten und die zur Erneuerung dreißig Tage; beim Abmelden werden alle widerrufen.",
		"Wiederholungen mit wachsender Wartezeit|Die Warteschlange für E-Mails wiederholt fünfmal mit exponentieller Wartezeit und legt die Nachricht dann zu den gescheiterten.",
		"Festplatte voller Protokolle|Das Rotieren der Protokolle war auf den neuen Servern abgeschaltet und die Festplatte war nach drei Tagen voll.",
		"Prüfung von Änderungen ist Pflicht|Jede Änderung braucht die Zustimmung einer zweiten Person, auch kleine Änderungen an der Dokumentation.",
		"Langsame Tests auf dem Integrationsserver|Die Tests brauchten zwanzig Minuten, weil jeder seine eigene Datenbank anlegte; jetzt teilen sie eine Vorlage.",
	}, []asked{
		{"Sperre Migration", 1}, {"Migrationen gesperrt", 1}, {"Auslieferungen Freitag", 3}, {"Protokoll Festplatten", 6}, {"Änderungen prüfen", 7},
		{"warum brauchten die Tests so lange?", 8}, {"wie lange gilt ein Zugangstoken?", 4}, {"wie oft wird eine E-Mail wiederholt?", 5},
		{"hallo, weißt du noch, was wir über die Migration der Datenbanken entschieden haben?", 1},
		{"sag mal, erinnerst du dich, warum der Zwischenspeicher einen alten Preis geliefert hat?", 2},
		{"kannst du mir sagen, was mit der vollen Festplatte war?", 6},
	}, []string{"hallo, erinnerst du dich an %s?", "was wissen wir über %s?", "sag mir bitte alles, was wir zu %s haben", "hatten wir schon mal ein Problem mit %s?"},
		[8]string{"gesperrte Migrationen", "den alten Preis im Zwischenspeicher", "Auslieferungen am Freitag", "das Zugangstoken", "die Wiederholung von E-Mails", "volle Festplatten", "die Prüfungen der Änderung", "einen langsamen Test"}},
	{"French", [8]string{
		"Verrou pour les migrations|Nous avons décidé que les migrations de la base prennent un verrou consultatif, car deux instances les lançaient en même temps au démarrage.",
		"Le cache renvoyait d'anciens prix|L'erreur : la clé du cache ne contenait pas la devise. Il expire maintenant après dix minutes et il est vidé à l'enregistrement.",
		"Déploiements le matin seulement|On ne déploie ni le vendredi ni après seize heures : personne ne surveille les alertes pendant la nuit.",
		"Durée des jetons d'accès|Les jetons durent quinze minutes, ceux de renouvellement trente jours ; à la déconnexion tous sont révoqués.",
		"Nouvelles tentatives avec attente croissante|La file des courriels réessaie cinq fois avec une attente exponentielle, puis range le message parmi les échecs.",
		"Disque rempli par les journaux|La rotation des journaux était désactivée sur les nouveaux serveurs et le disque s'est rempli en trois jours.",
		"Relecture du code obligatoire|Chaque modification demande l'accord d'une autre personne, même les petites modifications de la documentation.",
		"Tests lents sur le serveur d'intégration|Les tests prenaient vingt minutes car chacun créait sa propre base ; ils partagent maintenant un modèle.",
	}, []asked{
		{"verrou migration", 1}, {"migration verrouillée", 1}, {"déploiement vendredi", 3}, {"journal disques", 6}, {"relire modification", 7},
		{"pourquoi les tests prenaient-ils autant de temps ?", 8}, {"combien de temps dure un jeton d’accès ?", 4}, {"combien de fois réessaie-t-on un courriel ?", 5},
		{"salut, tu te souviens de ce que nous avons décidé pour la migration de la base ?", 1},
		{"dis, est-ce que tu te rappelles pourquoi le cache renvoyait un ancien prix ?", 2},
		{"peux-tu me dire ce qui s'est passé avec le disque rempli ?", 6},
	}, []string{"bonjour, tu te souviens de quelque chose sur %s ?", "que savons-nous de %s ?", "dis-moi tout ce que nous avons sur %s s'il te plaît", "avons-nous déjà eu un problème avec %s ?"},
		[8]string{"une migration verrouillée", "les anciens prix du cache", "un déploiement le vendredi", "le jeton d'accès", "les courriels réessayés", "les disques remplis", "les relectures du code", "un test lent"}},
	{"Portuguese", [8]string{
		"Bloqueio para as migrações|Decidimos que as migrações do banco de dados pegam um bloqueio consultivo, porque duas instâncias as executavam ao mesmo tempo na partida.",
		"O cache devolvia preços antigos|O erro era que a chave do cache não incluía a moeda. Agora expira depois de dez minutos e é limpo ao salvar.",
		"Implantação somente de manhã|Não se implanta às sextas nem depois das quatro: ninguém olha os alarmes durante a noite.",
		"Duração dos tokens de acesso|Os tokens duram quinze minutos e os de renovação trinta dias; ao sair da sessão todos são revogados.",
		"Novas tentativas com espera crescente|A fila de mensagens tenta cinco vezes com espera exponencial e depois deixa a mensagem entre as falhas.",
		"O disco encheu de registros|A rotação dos registros estava desligada nos servidores novos e o disco encheu em três dias.",
		"Revisão de código obrigatória|Cada alteração precisa da aprovação de outra pessoa, também as pequenas alterações na documentação.",
		"Testes lentos no servidor de integração|Os testes levavam vinte minutos porque cada um criava o seu próprio banco; agora compartilham um modelo.",
	}, []asked{
		{"bloqueio migração", 1}, {"migrações bloqueadas", 1}, {"implantações sexta", 3}, {"registro discos", 6}, {"revisões alteração", 7},
		{"por que os testes levavam tanto tempo?", 8}, {"quanto dura um token de acesso?", 4}, {"quantas vezes a fila tenta enviar uma mensagem?", 5},
		{"olá, você se lembra do que decidimos sobre a migração dos bancos de dados?", 1},
		{"ei, lembra por que o cache nos devolvia um preço antigo?", 2},
		{"você pode me dizer o que aconteceu com o disco que encheu?", 6},
	}, []string{"olá, você se lembra de alguma coisa sobre %s?", "o que sabemos de %s?", "me diga tudo o que temos sobre %s, por favor", "já tivemos algum problema com %s?"},
		[8]string{"uma migração bloqueada", "o preço antigo no cache", "as implantações de sexta", "o token de acesso", "a tentativa da fila de mensagens", "os discos cheios de registro", "as revisões do código", "um teste lento"}},
	{"Italian", [8]string{
		"Blocco per le migrazioni|Abbiamo deciso che le migrazioni della base dati prendono un blocco consultivo, perché due istanze le eseguivano insieme all'avvio.",
		"La cache restituiva prezzi vecchi|L'errore era che la chiave della cache non conteneva la valuta. Ora scade dopo dieci minuti ed è svuotata al salvataggio.",
		"Rilasci soltanto al mattino|Non si rilascia il venerdì né dopo le quattro: di notte nessuno guarda gli allarmi.",
		"Durata dei gettoni di accesso|I gettoni durano quindici minuti e quelli di rinnovo trenta giorni; all'uscita dalla sessione sono tutti revocati.",
		"Nuovi tentativi con attesa crescente|La coda della posta riprova cinque volte con attesa esponenziale e poi lascia il messaggio tra i falliti.",
		"Il disco pieno di registri|La rotazione dei registri era spenta sui nuovi server e il disco si è riempito in tre giorni.",
		"Revisione del codice obbligatoria|Ogni modifica richiede l'approvazione di un'altra persona, anche le piccole modifiche alla documentazione.",
		"Prove lente sul server di integrazione|Le prove duravano venti minuti perché ognuna creava una base propria; ora condividono un modello.",
	}, []asked{
		{"blocco migrazione", 1}, {"migrazione bloccata", 1}, {"rilascio venerdì", 3}, {"registro dischi", 6}, {"revisioni modifica", 7},
		{"perché le prove erano così lente?", 8}, {"quanto dura un gettone d'accesso?", 4}, {"quante volte riprova la coda della posta?", 5},
		{"ciao, ti ricordi che cosa abbiamo deciso sulla migrazione delle basi dati?", 1},
		{"senti, ricordi perché la cache ci restituiva un prezzo vecchio?", 2},
		{"puoi dirmi che cosa è successo con il disco pieno?", 6},
	}, []string{"ciao, ti ricordi qualcosa di %s?", "che cosa sappiamo di %s?", "dimmi tutto quello che abbiamo su %s, per favore", "abbiamo già avuto un problema con %s?"},
		[8]string{"una migrazione bloccata", "il prezzo vecchio nella cache", "un rilascio di venerdì", "il gettone di accesso", "il tentativo della coda di posta", "i dischi pieni", "le revisioni del codice", "una prova lenta"}},
	{"Dutch", [8]string{
		"Vergrendeling voor migraties|We hebben besloten dat migraties van de database een adviserende vergrendeling nemen, omdat twee instanties ze bij de start tegelijk uitvoerden.",
		"De cache gaf oude prijzen|De fout was dat de sleutel van de cache de munt niet bevatte. Hij verloopt nu na tien minuten en wordt bij het opslaan geleegd.",
		"Uitrollen alleen in de ochtend|Op vrijdag en na vier uur wordt niet uitgerold: niemand kijkt in de nacht naar de alarmen.",
		"Geldigheid van toegangstokens|De tokens gelden vijftien minuten en die voor vernieuwing dertig dagen; bij het afmelden worden ze allemaal ingetrokken.",
		"Herhalingen met groeiende wachttijd|De wachtrij voor berichten probeert het vijf keer met exponentiële wachttijd en legt het bericht dan bij de mislukte.",
		"De schijf liep vol met logboeken|Het roteren van de logboeken stond uit op de nieuwe servers en de schijf was na drie dagen vol.",
		"Beoordeling van wijzigingen is verplicht|Elke wijziging heeft het akkoord van een tweede persoon nodig, ook kleine wijzigingen in de documentatie.",
		"Trage testen op de integratieserver|De testen duurden twintig minuten omdat elke test een eigen database maakte; nu delen ze een sjabloon.",
	}, []asked{
		{"vergrendeling migratie", 1}, {"migraties vergrendelingen", 1}, {"uitrol vrijdag", 3}, {"logboek schijven", 6}, {"beoordelingen wijziging", 7},
		{"waarom duurden de testen zo lang?", 8}, {"hoe lang geldt een toegangstoken?", 4}, {"hoe vaak probeert de wachtrij een bericht?", 5},
		{"hallo, weet je nog wat we over de migratie van databases hebben besloten?", 1},
		{"zeg, herinner je je waarom de cache ons een oude prijs gaf?", 2},
		{"kun je me zeggen wat er met de volle schijf was?", 6},
	}, []string{"hallo, herinner je je iets over %s?", "wat weten we over %s?", "zeg me alles wat we over %s hebben, alsjeblieft", "hadden we al eens een probleem met %s?"},
		[8]string{"de vergrendelde migratie", "de oude prijs in de cache", "de uitrol op vrijdag", "het toegangstoken", "de herhaling van berichten", "volle schijven", "de beoordelingen van een wijziging", "een trage test"}},
	{"Swedish", [8]string{
		"Lås för migreringar|Vi bestämde att migreringar av databasen tar ett rådgivande lås, eftersom två instanser körde dem samtidigt vid starten.",
		"Cachen gav gamla priser|Felet var att nyckeln i cachen inte innehöll valutan. Den går nu ut efter tio minuter och töms när man sparar.",
		"Driftsättning bara på förmiddagen|På fredagar och efter klockan fyra driftsätter vi inte: ingen ser på larmen under natten.",
		"Giltighet för åtkomstnycklar|Nycklarna gäller i femton minuter och de för förnyelse i trettio dagar; vid utloggning återkallas alla.",
		"Omförsök med växande väntetid|Kön för meddelanden försöker fem gånger med exponentiell väntetid och lägger sedan meddelandet bland de misslyckade.",
		"Disken full av loggar|Roteringen av loggarna var avstängd på de nya servrarna och disken blev full på tre dagar.",
		"Granskning av ändringar är ett krav|Varje ändring behöver en annan persons godkännande, även små ändringar i dokumentationen.",
		"Långsamma tester på integrationsservern|Testerna tog tjugo minuter eftersom var och en skapade sin egen databas; nu delar de en mall.",
	}, []asked{
		{"lås migrering", 1}, {"migreringarna låsta", 1}, {"driftsättningar fredag", 3}, {"logg diskar", 6}, {"granska ändring", 7},
		{"varför tog testerna så lång tid?", 8}, {"hur länge gäller en åtkomstnyckel?", 4}, {"hur många gånger försöker kön med ett meddelande?", 5},
		{"hej, minns du vad vi bestämde om migreringen av databaser?", 1},
		{"du, kommer du ihåg varför cachen gav oss ett gammalt pris?", 2},
		{"kan du säga vad som hände med den fulla disken?", 6},
	}, []string{"hej, minns du något om %s?", "vad vet vi om %s?", "säg mig allt som vi har om %s, tack", "har vi någon gång haft ett problem med %s?"},
		[8]string{"en låst migrering", "det gamla priset i cachen", "en driftsättning på fredag", "åtkomstnyckeln", "ett omförsök med meddelanden", "fulla diskar", "granskningen av en ändring", "ett långsamt test"}},
	{"Finnish", [8]string{
		"Lukko migraatioille|Päätimme että tietokannan migraatiot ottavat neuvoa-antavan lukon, koska kaksi instanssia ajoi ne käynnistyksessä yhtä aikaa.",
		"Välimuisti palautti vanhoja hintoja|Virhe oli se, että välimuistin avain ei sisältänyt valuuttaa. Nyt se vanhenee kymmenessä minuutissa ja tyhjennetään kun tallennetaan.",
		"Julkaisut vain aamupäivällä|Perjantaisin ja neljän jälkeen ei julkaista mitään: kukaan ei katso hälytyksiä yöllä.",
		"Käyttötunnusten kesto|Tunnukset ovat voimassa viisitoista minuuttia ja uusimistunnukset kolmekymmentä päivää; kaikki perutaan kun kirjaudutaan ulos.",
		"Uudet yritykset kasvavalla odotuksella|Viestijono yrittää viisi kertaa ja odotus kasvaa, sitten se siirtää viestin epäonnistuneisiin.",
		"Levy täynnä lokeja|Lokien kierto oli pois päältä uusilla palvelimilla ja levy oli täynnä kolmessa päivässä.",
		"Muutosten katselmointi on pakollinen|Jokainen muutos vaatii toisen henkilön hyväksynnän, myös pienet muutokset dokumentaatioon.",
		"Hitaat testit integraatiopalvelimella|Testit kestivät kaksikymmentä minuuttia, koska jokainen loi oman tietokannan; nyt ne jakavat mallin.",
	}, []asked{
		{"lukko migraatio", 1}, {"migraatioiden lukot", 1}, {"julkaisu perjantai", 3}, {"loki levyt", 6}, {"katselmoinnit muutos", 7},
		{"miksi testit kestivät niin kauan?", 8}, {"mikä on käyttötunnuksen kesto?", 4}, {"kuinka monta kertaa viestijono yrittää?", 5},
		{"hei, muistatko mitä me päätimme tietokannan migraatiosta?", 1},
		{"hei, muistatko miksi välimuisti palautti vanhan hinnan?", 2},
		{"voiko joku sanoa mitä sille täydelle levylle tapahtui?", 6},
	}, []string{"hei, muistatko mitään asiasta %s?", "mitä me tiedämme asiasta %s?", "kerro kaikki mitä meillä on asiasta %s, kiitos", "onko meillä ollut joskus ongelma: %s?"},
		[8]string{"migraation lukko", "vanha hinta välimuistissa", "julkaisu perjantaina", "käyttötunnus", "viestijonon yritys", "täysi levy", "muutoksen katselmoinnit", "hidas testi"}},
	{"Russian", [8]string{
		"Блокировка для миграций|Мы решили, что миграции базы данных берут рекомендательную блокировку, потому что два экземпляра запускали их одновременно при старте.",
		"Кэш отдавал старые цены|Ошибка была в том, что ключ кэша не содержал валюту. Теперь он истекает через десять минут и сбрасывается при сохранении.",
		"Выкладка только утром|По пятницам и после четырёх не выкладываем: ночью никто не смотрит на тревоги.",
		"Срок действия токенов доступа|Токены действуют пятнадцать минут, а токены обновления тридцать дней; при выходе все они отзываются.",
		"Повторы с растущим ожиданием|Очередь писем повторяет отправку пять раз с экспоненциальным ожиданием, а потом кладёт письмо к неудачным.",
		"Диск заполнили журналы|Ротация журналов была выключена на новых серверах, и диск заполнился за три дня.",
		"Проверка кода обязательна|Каждое изменение требует одобрения другого человека, даже небольшие изменения в документации.",
		"Медленные тесты на сервере сборки|Тесты шли двадцать минут, потому что каждый создавал свою базу; теперь у них общий шаблон.",
	}, []asked{
		{"блокировка миграции", 1}, {"блокировки миграция", 1}, {"выкладки пятница", 3}, {"журнал диски", 6}, {"проверки изменений", 7},
		{"почему тесты шли так долго?", 8}, {"какой срок действия у токена доступа?", 4}, {"сколько раз очередь повторяет отправку письма?", 5},
		{"привет, помнишь, что мы решили о миграции базы данных?", 1},
		{"слушай, а ты помнишь, почему кэш отдавал нам старую цену?", 2},
		{"можешь сказать, что было с заполненным диском?", 6},
	}, []string{"привет, ты помнишь что-нибудь про %s?", "что мы знаем про %s?", "скажи мне пожалуйста всё, что у нас есть про %s", "была ли у нас когда-нибудь проблема: %s?"},
		[8]string{"блокировку миграции", "старую цену в кэше", "выкладку в пятницу", "токен доступа", "повтор писем", "заполненные диски", "проверки кода", "медленный тест"}},
	{"Chinese", [8]string{
		"迁移使用咨询锁|我们决定数据库迁移先取得咨询锁，因为两个实例启动时会同时执行迁移。",
		"缓存返回旧价格|错误在于缓存的键没有包含货币。现在十分钟后过期，保存时清除。",
		"只在上午部署|周五和下午四点以后不部署：夜里没有人看报警。",
		"访问令牌的有效期|令牌有效十五分钟，刷新令牌三十天；退出登录时全部撤销。",
		"重试的等待时间逐渐增加|邮件队列重试五次，等待时间按指数增长，之后放入失败队列。",
		"日志写满了磁盘|新服务器上没有打开日志轮转，三天之内磁盘就满了。",
		"代码必须评审|每次修改都要另一个人批准，文档的小修改也一样。",
		"集成服务器上的测试很慢|测试要二十分钟，因为每个测试都创建自己的数据库；现在共用一个模板。",
	}, []asked{
		{"迁移 锁", 1}, {"数据库迁移锁", 1}, {"周五部署", 3}, {"磁盘日志", 6}, {"修改评审", 7},
		{"为什么测试这么慢？", 8}, {"访问令牌多久过期？有效期是多少？", 4}, {"邮件会重试几次？", 5},
		{"你还记得我们关于数据库迁移做了什么决定吗？", 1},
		{"请问你还记得为什么缓存会返回旧的价格吗？", 2},
		{"能不能告诉我磁盘写满是怎么回事？", 6},
	}, []string{"你还记得关于%s的事情吗？", "我们对%s知道些什么？", "请告诉我关于%s的所有信息", "我们以前遇到过%s的问题吗？"},
		[8]string{"数据库迁移锁", "缓存旧价格", "周五部署", "访问令牌", "邮件重试", "磁盘写满", "代码评审", "测试慢"}},
	{"Japanese", [8]string{
		"マイグレーションのロック|データベースのマイグレーションはアドバイザリロックを取ることに決めた。起動時に二つのインスタンスが同時に実行していたため。",
		"キャッシュが古い価格を返した|原因はキャッシュのキーに通貨が含まれていなかったこと。今は十分で失効し、保存時に消去する。",
		"デプロイは午前だけ|金曜日と午後四時以降はデプロイしない。夜は誰も警報を見ていない。",
		"アクセストークンの有効期間|トークンは十五分、更新用は三十日有効。ログアウトするとすべて取り消される。",
		"待ち時間を増やす再試行|メールのキューは五回まで指数的に待って再試行し、その後は失敗キューに入れる。",
		"ログでディスクが満杯|新しいサーバーではログのローテーションが無効で、三日でディスクが満杯になった。",
		"コードレビューは必須|どの変更にも別の人の承認が必要で、文書の小さな変更も同じ。",
		"統合サーバーのテストが遅い|各テストが自分のデータベースを作るので二十分かかっていた。今はテンプレートを共有する。",
	}, []asked{
		{"マイグレーション ロック", 1}, {"データベースのロック", 1}, {"金曜日のデプロイ", 3}, {"ログ ディスク", 6}, {"変更のレビュー", 7},
		{"なぜテストが遅かったのですか？", 8}, {"アクセストークンはどのくらい有効ですか？", 4}, {"メールは何回再試行しますか？", 5},
		{"データベースのマイグレーションについて何を決めたか覚えていますか？", 1},
		{"どうしてキャッシュが古い価格を返していたのか覚えてる？", 2},
		{"ディスクが満杯になった件について教えてください", 6},
	}, []string{"%sについて何か覚えていますか？", "%sについて私たちは何を知っている？", "%sに関することを全部教えてください", "以前に%sの問題はありましたか？"},
		[8]string{"マイグレーションのロック", "古い価格のキャッシュ", "金曜日のデプロイ", "アクセストークン", "メールの再試行", "ディスクの満杯", "コードレビュー", "遅いテスト"}},
	{"Korean", [8]string{
		"마이그레이션 잠금|데이터베이스 마이그레이션은 권고 잠금을 먼저 얻기로 결정했다. 시작할 때 두 인스턴스가 동시에 실행했기 때문이다.",
		"캐시가 오래된 가격을 반환|캐시 키에 통화가 들어 있지 않았던 것이 원인이다. 이제 십 분 뒤에 만료되고 저장할 때 지운다.",
		"배포는 오전에만|금요일과 오후 네 시 이후에는 배포하지 않는다. 밤에는 아무도 경보를 보지 않는다.",
		"접근 토큰의 유효 기간|토큰은 십오 분, 갱신 토큰은 삼십 일 동안 유효하다. 로그아웃하면 모두 취소된다.",
		"대기 시간을 늘리는 재시도|메일 대기열은 지수적으로 기다리며 다섯 번 재시도하고 그 다음에는 실패 대기열에 넣는다.",
		"로그로 가득 찬 디스크|새 서버에서 로그 순환이 꺼져 있어서 사흘 만에 디스크가 가득 찼다.",
		"코드 검토는 필수|모든 변경에는 다른 사람의 승인이 필요하며 문서의 작은 변경도 마찬가지다.",
		"통합 서버의 느린 테스트|테스트마다 자기 데이터베이스를 만들어서 이십 분이 걸렸다. 이제는 템플릿을 공유한다.",
	}, []asked{
		{"마이그레이션 잠금", 1}, {"데이터베이스의 잠금을", 1}, {"금요일에 배포", 3}, {"디스크 로그", 6}, {"변경을 검토", 7},
		{"왜 테스트가 느렸나요?", 8}, {"접근 토큰은 언제까지 유효한가요?", 4}, {"메일은 몇 번 재시도하나요?", 5},
		{"데이터베이스 마이그레이션에 대해 우리가 무엇을 결정했는지 기억하나요?", 1},
		{"혹시 캐시가 왜 오래된 가격을 반환했는지 기억해?", 2},
		{"디스크가 가득 찬 일에 대해 알려줘", 6},
	}, []string{"안녕, %s에 대해 뭔가 기억하나요?", "%s에 대해 우리가 무엇을 알고 있지?", "%s에 관한 모든 것을 알려줘", "전에 %s 문제가 있었나요?"},
		[8]string{"마이그레이션 잠금", "캐시의 오래된 가격", "금요일 배포", "접근 토큰", "메일 재시도", "가득 찬 디스크", "코드 검토", "느린 테스트"}},
}

// english fills a store with notes in English.
func english(w enginetest.World, n int) {
	about := strings.Split("the billing worker|the search page|the import job|the mail gateway|the settings form|the invoice export|the metrics agent|the login screen|the upload queue|the report builder|the feature flags|the payment hook|the audit table|the chat widget|the mobile client|the nightly backup", "|")
	did := strings.Split("times out under load|was moved to its own package|reads its limits from the config file|needs a second reviewer|lost events on restart|uses a bounded worker pool|is written in Go now|has no tests for errors|keeps its state in Postgres|logs too much at level info|was slow because of N+1 queries|validates its input twice", "|")
	why := strings.Split("because the old library is no longer maintained|after the outage in March|so that a deploy does not interrupt it|and nobody knew who owned it|which saved about forty percent of the memory", "|")
	for i := range n {
		a, d, y := about[i%len(about)], did[i/len(about)%len(did)], why[(i/7)%len(why)]
		w.MustSave(remember.SaveInput{Project: "demo", Title: fmt.Sprintf("Note %d: %s %s", i, a, d), Content: fmt.Sprintf("We found that %s %s, %s. Ticket ENG-%d.", a, d, y, 1000+i)})
	}
}

// belowThreshold are questions whose memory is first in the ranking, but not surely relevant: the threshold's share.
var belowThreshold = []string{
	"hadden we al eens een probleem met volle schijven?",
	// Swedish nyckel and nycklar have different stems.
	"hej, minns du något om åtkomstnyckeln?", "vad vet vi om åtkomstnyckeln?", "säg mig allt som vi har om åtkomstnyckeln, tack",
}

// notFirst are questions of which the memory is only among the first three.
var notFirst = []string{"har vi någon gång haft ett problem med åtkomstnyckeln?"}

// A question in another language finds its memory, in whatever form of the words and however chatty.
func TestQuestionsInOtherLanguages(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	english(w, 500)
	for _, s := range spokenLanguages {
		var nums [8]int64
		for i, note := range s.notes {
			title, content, _ := strings.Cut(note, "|")
			nums[i] = w.Note(title, content)
		}
		all := s.questions
		for i, thing := range s.things {
			for _, wrapper := range s.wrappers {
				all = append(all, asked{fmt.Sprintf(wrapper, thing), i + 1})
			}
		}
		t.Run(s.name, func(t *testing.T) {
			for _, q := range all {
				found := w.In(t).MustSearch(search.SearchInput{Query: q.query})
				want, sure := nums[q.want-1], enginetest.HitNums(found.Hits)
				ranked := slices.Concat(sure, enginetest.HitNums(found.BelowThreshold))
				switch place := slices.Index(ranked, want); {
				case place > 0 && !slices.Contains(notFirst, q.query), place < 0, place > 2:
					t.Errorf("%q: found %v, want #%d first", q.query, ranked, want)
				case !slices.Contains(sure, want) && !slices.Contains(belowThreshold, q.query) && !slices.Contains(notFirst, q.query):
					t.Errorf("%q: #%d is below the threshold, above are %v", q.query, want, sure)
				}
			}
		})
		for _, num := range nums { // the next language is asked without these
			if _, err := w.Forget(t.Context(), engram.ByNum(num)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A question of stop words alone has no topic: as in English, it finds what has one of them in the title, or else the
// newest memories.
func TestQuestionsOfStopWordsInOtherLanguages(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	english(w, 20)
	titled := w.Note("¿Por qué?", "La razón de la migración está en la guía del equipo y no en el código.")
	newest := enginetest.HitNums(w.MustSearch(search.SearchInput{Query: "what is this about"}).Hits)
	for _, tt := range []struct {
		query string
		want  []int64
	}{
		{"¿por qué?", []int64{titled}}, {"was ist das und warum?", newest},
		{"che cosa è questo?", newest}, {"что это и почему", newest}, {"怎么样？", newest}, {"何ですか", newest},
	} {
		enginetest.Same(t, tt.query, enginetest.HitNums(w.MustSearch(search.SearchInput{Query: tt.query}).Hits), tt.want)
	}
}

// A word of another language is not corrected into an English one that it resembles, a mistyped one into its own.
func TestWordsAreCorrectedInTheirLanguage(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	english(w, 40)
	w.Note("Queue in Postgres", "We decided on a table with an interface of its own, after a problem of the client.")
	note := w.Note("Configuración del relevo", "La configuración del correo saliente está en el panel del proveedor y no en el repositorio.")
	for _, tt := range []struct {
		query string
		read  string // of the first correction
		first int64
	}{
		{"¿qué decidimos sobre la cola?", "", 0},
		{"hola, ¿tuvimos algún problema con el cliente o la interfaz?", "", 0},
		{"¿dónde está la configuracoin del correo?", "configuracion", note},
		{"¿dónde está la confguración del correo?", "configuracion", note},
		{"where is the configuracoin", "configuracion", note},
	} {
		found := w.MustSearch(search.SearchInput{Query: tt.query})
		read := ""
		for _, r := range found.Repaired {
			read = strings.Join(r.Read, ",")
		}
		if read != tt.read || tt.first != 0 && (len(found.Hits) == 0 || found.Hits[0].Memory.Num != tt.first) {
			t.Errorf("%q: read as %q, want %q; found %v", tt.query, read, tt.read, enginetest.HitNums(found.Hits))
		}
	}
}
