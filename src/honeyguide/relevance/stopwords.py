"""Stop words by language. Single letters come from contractions ("don't", "l'homme")."""

STOP_WORDS = {
    "arabic": """
        أن أنا أنت أو أي إذا إلا إلى إن ال التي الذي الذين اللذين بعد بعض بل به بها بين بينما تلك ثم حتى حول حيث خلال
        دون ذلك سوف على عليه عليها عن عند عندما غير ف في فيه فيها قبل قد كان كانت كل كما كيف لأن لا لدى لقد لم لن له
        لها ليس ما مثل مع من منذ منه منها نحن هذا هذه هم هنا هناك هو هي و وقد ولا ولم وهو وهي يكون
    """,
    "armenian": """
        այդ այլ այն այս դու դուք եմ են ենք ես եք է էի էին էինք ըստ թե ի ին իսկ իր կամ համար հետ հետո մենք մեջ մեր մի նա
        նաև նրա նրանք որ որը որոնք որպես ու ում պիտի վրա և
    """,
    "basque": """
        al anitz arabera asko baina bat batean batek bera beraiek berau berauek berdin bere bezala da dago dira ditu du
        dute edo egin ere eta ez gainera gu guzti haiek hala han handik hango hara hari hark hau hauek hauen hemen hori
        horiek hura ni nola non nor zein zen ziren zu zuek zuten
    """,
    "catalan": """
        a això al als amb aquell aquella aquelles aquells aquest aquesta aquestes aquests com d de del dels des després
        doncs durant e el ella elles ells els em en encara ens entre era eren es et fa fins ha han hi ho i ja jo l la
        les li llavors m mateix me meu molt més n ni no nosaltres o on per perquè però poc pot qual quan que qui s
        sense ser serà ses seu seus seva si sobre sóc són t també tan te tot tota totes tots tu un una unes uns va van
        vosaltres és
    """,
    "chinese": """
        一个 一些 不 不是 之一 也 也是 了 了一 了的 些 他 他们 他的 以及 们 们的 其中 到了 只是 可以 和 因为 在 在一
        她 如果 它 它们 将会 就 就是 已经 并且 很 我 我们 我的 所以 是 是一 是在 有 有的 没有 由于 的 的一 的人 着 而
        而且 自己 虽然 被 被称 还有 这 这个 这些 这样 这种 那 那个 那些 都 都是 随着 需要
    """,
    "czech": """
        a aby ale ani asi až bez bude budou by byl byla byli bylo být co což další do ho i jak jako je jeho jej jejich
        její jen ještě ji jiné již jsem jsme jsou jste já k kde kdo když která které který kteří ku mají mezi mi mohou
        my má může na nad nebo není než nic o od on ona oni pak po pod podle pokud pouze pro proto protože právě před
        při s se si sice svůj ta tak také takže tam tato tedy ten tento to toho tom tomu tu ty této tím u už v ve však
        vše všechno z za zde či že
    """,
    "danish": """
        ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter
        eller en end er et for fra før ham han hans har havde have hende hendes her hos hun hvad hver hvis hvor i ikke
        ind jeg jer jo kan kun man mange med meget men mens mig min mod må ned noget nogle nok nu når og også om op os
        over på selv ses sig sin sine skal skulle som store så sådan thi til ud under var ved vi vil ville vor være
        været
    """,
    "dutch": """
        aan al alle alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge
        geen haar had heb hebben heeft hem het hier hij hoe hun ik in is ja je kan kon kunnen maar me meer men met mij
        mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot tussen u uit
        uw van veel voor want waren was wat wel werd wezen wie wij wil worden wordt zal ze zei zelf zich zij zijn zo
        zonder zou
    """,
    "english": """
        a about above after again against all also am an and any are aren as at b be because been before being below
        between both but by c can cannot could couldn d did didn do does doesn doing don down during e each else ever
        every f few for from further g get got h had hadn has hasn have haven having he her here hers herself him
        himself his how however i if in into is isn it its itself j just k l ll m may me might more most much must
        mustn my myself n no nor not now o of off often on once only or other our ours ourselves out over own p per q
        quite r rather re s same shall shan she should shouldn since so some such t than that the their theirs them
        themselves then there these they this those through thus to too u under until up upon us v ve very via w was
        wasn we were weren what when where whether which while who whom whose why will with within without won would
        wouldn x y yet you your yours yourself yourselves z
    """,
    "esperanto": """
        al ankaŭ ankoraŭ antaŭ aŭ da de do dum eble ekde el en es estas esti estis ili ilia inter ja jam je kaj ke kial
        kiam kie kiel kio kiu kiuj kun la laŭ li lia mi mia ne nek ni nia nun nur ol per plej pli po por post preter
        pri se sed sen si sia sub super sur tamen tia tiam tie tiel tio tiu tiuj tra trans tre tute unu vi via ĉar ĉe
        ĉi ĉiu ĉu ĝi ĝia ĝis ŝi ŝia
    """,
    "estonian": """
        aga ega ei enam et ette ja juba just järel ka kas ke kes kogu koos kui kuid kuidas kuni kus käes kõik küll ma
        me mida millal mille millest mina mind minu mis mitte mu need neid nende nii ning nüüd ole oled oleks oli olid
        olla olnud oma on peale pole pärast sa saab seda see sel selle siin siis sina sind sinu ta te teda teie tema
        tuleb tõttu vaid vastu välja või üks üle
    """,
    "finnish": """
        ei eivät eli en ennen et että he heidän heitä hän hänen häntä itse ja jo johon joiden joihin joissa joista joka
        jolla jolle jolloin jonka jos joskus josta jota jotka kaikki kanssa koska kuin kuinka kuka kukaan kun me meidän
        mikä mikään minkä minua minulla minun minä missä mistä mitä mukaan mutta muu muut myös ne niiden niin niistä
        niitä noin nuo nyt näiden nämä ole olen olet oli olisi olivat olla ollut on ovat saa se sekä sen siellä siihen
        siinä siis sillä sinä sitten sitä tai te teidän tuo tämä tämän tässä tästä tätä vaan vai vain vielä voi voivat
        yli
    """,
    "french": """
        a ai ainsi alors au aucun aussi autre aux avait avant avec avoir c car ce cela celle celui ces cet cette ceux
        chaque ci comme comment d dans de des donc dont du elle elles en encore entre es est et eu eux fait font il
        ils j je l la le les leur leurs lui là m ma mais me mes moi mon même n ne ni nos notre nous on ont ou où par
        parce pas peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui s sa sans se sera ses si son
        sont sous sur t ta te tes toi ton tous tout toute toutes très tu un une vos votre vous y à été être
    """,
    "german": """
        aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei bin bis bist da damit
        dann das dass dein deine dem den denn der des dessen deshalb die dies diese diesem diesen dieser dieses doch
        dort du durch ein eine einem einen einer eines er es etwas euer für gegen hat hatte hatten hier hinter ich ihm
        ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine
        können man mehr mein meine mich mir mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine
        seinem seinen seiner seit sich sie sind so solche soll sollte sondern sonst um und uns unser unter vom von vor
        war waren was weil welche welchem welchen welcher wenn wer werde werden wie wieder will wir wird wirst wo
        wurde wurden während zu zum zur zwar zwischen über
    """,
    "greek": """
        ένα έναν ένας έχει έχουν ή ήταν αλλά αν αντί απο από αυτά αυτές αυτή αυτοί αυτού αυτό αυτός αυτών για γιατί δε
        δεν εάν είμαι είναι είσαι είστε εκεί εκείνα εκείνη εκείνο εκείνος ενός ενώ επί εσείς εσύ η θα κάθε κάποια
        κάποιο και κατά κι λοιπόν μέσα μέχρι μία μα μας με μετά μεταξύ μη μην μια μου να ο οι ούτε παρά περί πιο ποια
        ποιο ποιος πολύ που πού πριν προς πως πώς σαν σας σε σου στα στη στην στις στο στον στους σύμφωνα τα τη την της
        τι τις το τον του τους των τόσο τότε χωρίς ως ό όμως όπου όπως όσο όταν ότι ώστε
    """,
    "hindi": """
        अगर अपना अपनी अपने आदि आप इन इस इसका इसकी इसके इसमें इसी इसे उन उनका उनकी उनके उस उसका उसकी उसके उसे एक एवं ऐसा
        ऐसे और कई कर करता करते करना करने कहा का काफी कि किया किसी की कुछ के को कोई कौन क्या गई गए गया जब जहाँ जा जाता
        जाती जाते जिस जो तक तब तरह तो था थी थे दिया दो द्वारा न नहीं ने पर पहले बहुत बाद भी मगर में मैं यदि यह यहाँ या
        ये रहा रहे लिए लेकिन व वह वहाँ वाले वे सकता सकते सब साथ से हम ही हुआ हुई हुए है हैं हो होता होती होते होना
    """,
    "hungarian": """
        a ahogy ahol aki akik akkor alatt amely amelyek amelyet ami amikor az azok azon azt azért be belül benne bár
        csak de e egy egyes egyik egyéb el ellen elő előtt ez ezek ezen ezt fel felé ha hanem hiszen hogy hogyan hol
        igen ill illetve is itt jó kell ki kívül közben között le legyen lehet lenne lesz ma maga majd meg mely mert mi
        miatt mikor milyen mind minden mint mivel most már más még nagyon ne nek nekem nem nincs olyan ott pedig s
        saját sem semmi sok során szerint t te tehát tovább több ugyan ugyanis után utána vagy vagyis valaki van vannak
        vele vissza volt voltak által át én és így össze ő ők
    """,
    "indonesian": """
        ada adalah agar akan akhirnya aku anda antara apa apakah atas atau bagaimana bagi bahwa banyak baru bawah
        beberapa begitu belum berada bila bisa boleh bukan dalam dan dapat dari daripada demikian dengan di dia dua
        harus hingga ia ini itu jadi jika juga kami kamu karena kata ke kemudian kepada kita lagi lain lebih maka masih
        melalui mereka merupakan mungkin namun oleh pada paling para pula saat saja sampai sangat satu saya sebab
        sebagai sebuah secara sedang sehingga sejak selain selama semua sendiri seperti serta setelah setiap siapa
        suatu sudah supaya tanpa telah tentang terhadap tersebut tetapi tidak untuk yaitu yakni yang
    """,
    "irish": """
        a ach ag agus aici an ann ar as atá b bhfuil bhí chuig chun d de do dá dár eile faoi faoin fúthu gach gan go
        gur i iad idir in is le leis lena leo m mar mo mé mór na nach nuair ná ní níl nó os roimh sa seo siad sibh sin
        sinn siúd sna sé sí thar trí tá tú uaidh um é ó
    """,
    "italian": """
        a abbiamo agli ai al alla alle allo anche ancora avere aveva c che chi ci come con contro cui d da dagli dai
        dal dall dalla dalle dallo degli dei del dell della delle dello di dopo dov dove due e ed era erano essere fa
        fra fu gli ha hanno ho i il in io l la le lei li lo loro lui ma me mentre mi mia mie mio molto ne negli nei nel
        nell nella nelle nello no noi non nostra nostro o ogni oppure ora per perché però più poi prima può qual quale
        quali quando quanto quella quelle quelli quello questa queste questi questo qui s sarà se sei sempre senza si
        sia siamo solo sono sopra sotto sta stata stati stato su sua sue sugli sui sul sull sulla sulle sullo suo suoi
        tra tu tutta tutte tutti tutto un una uno v vi voi è
    """,
    "japanese": """
        あの あり ある い いう いた いて いま いる う うに え お おい おり か かし かも から が き きた きて く け
        ける こと この これ さ さい され さん し しか した して しま す する せて せる せん そう その それ た たい
        たが ただ ため たり たる だ だけ だっ ちら っ った って つ つい つか て てい てき ては ても で でき です では
        でも と とい とが とき とし との とは とも な ない なか なく なし なっ など なら なり なる なれ に にお には
        にも によ ね の ので のに のは のも のよ は はな ば ばれ へ ほど ま まし ます ませ また まっ まで まり み め
        も もの や よ よう よっ より よる ら らの られ り りま る るか るこ るた ると るの れ れた れて れば れる
        わせ を をし ん んで
    """,
    "lithuanian": """
        abu apie ar arba aš be bet bus buvo būti būtų dabar dar dėka dėl gal gali iki ir it iš ja jam jau jei jeigu ji
        jie jis jo jog joje jos juos jų kad kada kai kaip kas kiek kiekvienas kita kitas kiti kur kuri kurie kurio
        kurios kuris kurių ką labai lyg man mano mes mūsų ne nei nes net nors nuo nėra o pagal pas pat per po prie
        prieš sau save savo si su ta tada tai taigi taip tam tas tačiau te ten tie tik to tokia toks tos tu turi tų už
        vienas vis visi visų yra čia į ši šiame šie šio šios šis šių
    """,
    "nepali": """
        अनि अब अरू आफ्नो उनले उनी ऊ एउटा एक कि किन के को कोही गरे गरेको गर्न गर्ने छ छन् छैन जब जसले जस्तो जुन जो तथा
        तर तिनी ती त्यस त्यसले त्यो थिए थियो दिए देखि धेरै न नै पछि पनि फेरि बाट भए भएको भने भन्दा भन्ने म मा मात्र यदि
        यस यसको यसले या यी यो र रहेको लाई लागि ले वा सँग सबै साथ हामी हुने हुन् हो
    """,
    "norwegian": """
        alle andre at av bare begge ble blei bli blir da de deg dei deira dem den denne der dere deres det dette di din
        disse ditt du då eg ei ein eit eller elles en enn er et etter for fordi fra før ha hadde han hans har henne
        hennes her hun hva hvem hver hvilke hvis hvor hvordan i ikke ikkje inn ja jeg kan kom kunne kva kvar man mange
        me med meg meget mellom men mer mi min mitt mot mykje må ned no noe noen nå når og også om opp oss over på
        samme seg selv si sia siden sin sitt skal skulle slik som så til um under ut var ved vi vil ville vore vår være
        vært å
    """,
    "persian": """
        آن آنان آنها آیا از ام اما اند انها او اگر ای این اینکه با باید بر برای به بود بودن بودند بوده بی بین تا تنها
        تو جز حتی خود در درباره دو دیگر را روی زیر سپس شد شدن شده شما شود ضمن طبق طی ما مانند من مگر می میان نمی نه نیز
        نیست ها های هایی هر هست هستند هم همان همه همچنین همین هنوز هیچ و ولی وی چرا چند چه چون کرد کردن کرده کند کنند
        کنیم که گفت یا یک یکی
    """,
    "polish": """
        a aby albo ale ani bardzo bez bo by być był była było były co coś czy czyli dla do gdy gdzie go i ich im innych
        iż ja jak jakie jako je jednak jego jej jemu jest jestem jeszcze jeśli jeżeli już każdy kiedy kto która które
        którego której który których którym którzy lub ma mają mi mnie może można mu my na nad nam nas nasz nawet nic
        nich nie niego niej nim niż o od on ona one oni oraz po pod podczas ponad ponieważ poza przed przede przez przy
        również się sobie swoje są ta tak także tam te tego tej temu ten też to tu tych tylko tym u w wam was we wiele
        więc wszystkie wszystko z za zawsze ze został że
    """,
    "portuguese": """
        a ainda algo alguns antes ao aos apenas aquela aquele aqueles aquilo as assim até bem cada com como contra da
        das de dela dele deles depois desde dessa desse desta deste do dos durante e ela elas ele eles em enquanto
        entre era eram essa essas esse esses esta estas estava este estes está estão eu foi foram há isso isto já la
        lhe lhes lo mais mas me mesmo meu minha muito muitos na nas nem nessa nesse nesta neste no nos nossa nosso num
        numa não o onde os ou para pela pelas pelo pelos pode pois por porque porém qual quando quanto que quem se seja
        sem sempre ser será seu seus si sido sob sobre sua suas são também tem tendo ter teu toda todas todo todos tu
        tua um uma umas uns você vocês vos à às é
    """,
    "romanian": """
        a abia acea aceasta această aceea aceia acel acela acele acest acesta aceste acestea acestei acestor acestui
        acolo acum ai aici al ale alt alta alte altul altă am ar are asta astfel asupra au avea avem aveți așa ați ba c
        ca care ce cea ceea cei cel cele celor chiar ci cine cu cum cumva când cât câte că căci către d da dacă dar dat
        de deci decât despre deși din dintre doar după e ea ei el ele era este eu fi fie fiecare fiind fost fără i iar
        ii l la le lor lui mai mea mele meu mi mult multe mâ n ne nici noi nu o ori oricare pe pentru peste poate prin
        s sa sale sau se spre sub sunt t te toate tot totuși toți tu u un una unde unei unele unor unui va voi vom vor
        vă îi îl îmi în încă între își îți și
    """,
    "russian": """
        а без более больше будет бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до
        его ее ей ему если есть еще ещё же за здесь и из или им их к как какой когда которая которое которой которые
        который которых кто ли либо мне может можно мы на над надо наш не него нее нет неё ни них но ну о об один
        однако он она они оно от очень перед по под после потому при про раз с сам свой себе себя со так также такой
        там те тем теперь то того тоже той только том тот ту ты у уже хотя чего чем через что чтобы эта эти этим этих
        это этого этой этом этот я
    """,
    "serbian": """
        a ako ali bez bi bila bile bili bilo bio biti da do dok duž dva ga gde i ih ili im ima iz ja je jedan jedna
        jedno jer još ju kada kako kao ko koja koje koji kojih kojima kojoj kojom kroz li ma me mi može na nad nakon ne
        nego neki nije nisam nisu njega njegov njen njih njihov no o od on ona oni ono ova ovaj ove ovo po pod posle
        pre prema pri s sa sam samo se sebe smo ste su sva sve svi svoj ta taj tako te ti to toga tu u uz vam vas vi
        više za će što а ако али без би била биле били било био бити вам вас ви више га где да до док за и из или им
        има их када како као ко која које који којима којих којом којој кроз ли ме ми може на над након не него неки
        нису није но о ова овај ове ово од он она они оно по под после пре према при с са сам само сва све сви свој се
        себе смо сте су та тако тај те ти то тога ту у уз што ја је један једна једно јер још ју његов њен њих њихов ће
    """,
    "sesotho": """
        a ba bo bona e ea eba empa eo ha haholo hape ho hore ka kapa ke kena ketso kgotsa khotsa la le leha li lona mme
        mo moo na ne ngoe o oa pele re rona sa se sena seo sona tla tsa tse tsena tseo tšoana u ya yena
    """,
    "spanish": """
        a al algo algunas algunos ante antes como con contra cual cuando de del desde donde durante e el ella ellas
        ellos en entre era eran es esa esas ese eso esos esta estaba estado estas este esto estos está están fue
        fueron ha hasta hay la las le les lo los me mi mis mucho muchos muy más nada ni no nos nosotros o os otra
        otras otro otros para pero poco por porque que quien quienes qué se sea ser si sido sin sobre son su sus
        también tanto te tiene tienen todo todos tu tus un una uno unos y ya yo él
    """,
    "swedish": """
        alla allt att av bara bland blev bli blir blivit de dem den denna deras dess dessa det detta dig din dina ditt
        du där då efter ej eller en er era ett från för genom ha hade han hans har henne hennes hon honom hur här i
        icke ingen inom inte jag ju kan kunde man med mellan men mig min mina mitt mot mycket ned ni nu när någon något
        några och också om oss på samma se sedan sig sin sina sitta själv ska skulle som så sådan till under upp ut
        utan vad var vara varför varit varje vars vem vid vilka vilken vill vår våra än är även åt över
    """,
    "tamil": """
        அதன் அது அந்த அல்ல அல்லது அவன் அவர் அவர்கள் அவள் ஆகிய ஆகும் ஆனால் இதன் இதில் இது இந்த இருந்த இருந்து இல்லை இவர்
        உள்ள உள்ளது எந்த என என்பது என்ற என்று எல்லாம் ஏன் ஒரு கொண்டு சில தன் தான் நான் நாம் நீ நீங்கள் பற்றி பல பின்னர்
        பிறகு போன்ற போல மட்டும் மற்றும் முதல் மேலும் யார் வரை வேண்டும்
    """,
    "turkish": """
        acaba ama ancak artık aslında az bana bazı belki ben beni benim bile bir biri birkaç birçok biz bize bizim bu
        buna bunda bundan bunlar bunu bunun burada böyle da daha dahi de defa değil diye diğer dolayı en fakat gibi
        göre hala hangi hatta hem henüz hep hepsi her herkes hiç iki ile ise için işte kadar karşı kendi ki kim kimse
        mi mu mü mı nasıl ne neden nedenle nerede o olan olarak oldu olduğu olması on ona ondan onlar onu onun oysa
        sadece sanki sen siz sonra tüm var ve veya ya yani yerine yine yok zaten çok çünkü öyle üzere şey şimdi şu
        şöyle
    """,
    "yiddish": """
        אַ אַז אַן אָבער אָדער אויב אויך אויס אויף און אונדז איז אים אין איר ביז ביי בין דאָס דאָרט דו די די־ דעם דער
        האָבן האָט הייסט וואָס ווי ווייל וועט וועל ווער זי זיי זיין זיך מיט מיר מען נאָך נאָר ניט נישט עס ער פֿאַר פֿון
        פאַר פון צו צוזאַמען צום קען
    """,
}
