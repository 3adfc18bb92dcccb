def check_min_cppstd(_recipe, standard):
    assert standard == 20
