"""Stop words by language. Single letters come from contractions ("don't", "l'homme")."""

STOP_WORDS = {
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
    "spanish": """
        a al algo algunas algunos ante antes como con contra cual cuando de del desde donde durante e el ella ellas
        ellos en entre era eran es esa esas ese eso esos esta estaba estado estas este esto estos está están fue
        fueron ha hasta hay la las le les lo los me mi mis mucho muchos muy más nada ni no nos nosotros o os otra
        otras otro otros para pero poco por porque que quien quienes qué se sea ser si sido sin sobre son su sus
        también tanto te tiene tienen todo todos tu tus un una uno unos y ya yo él
    """,
}

CODES = {"english": "en", "french": "fr", "german": "de", "spanish": "es"}
"""The languages that have stop words, as pages name them."""
