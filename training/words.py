"""Word lists that the made records are drawn from."""

from __future__ import annotations

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December"]  # fmt: skip
PARKING = ["garage", "street", "validated", "lot", "valet"]
AMBIENCES = ["romantic", "intimate", "touristy", "hipster", "divey", "classy", "trendy", "upscale", "casual"]
CITIES = [
    ("Santa Barbara", "CA", "California"), ("Goleta", "CA", "California"), ("Portland", "OR", "Oregon"),
    ("Tampa", "FL", "Florida"), ("Nashville", "TN", "Tennessee"), ("Tucson", "AZ", "Arizona"),
    ("Reno", "NV", "Nevada"), ("Boise", "ID", "Idaho"), ("Austin", "TX", "Texas"),
    ("Philadelphia", "PA", "Pennsylvania"),
    ("New Orleans", "LA", "Louisiana"), ("Indianapolis", "IN", "Indiana"), ("Saint Louis", "MO", "Missouri"),
    ("Madison", "WI", "Wisconsin"), ("Denver", "CO", "Colorado"), ("Ann Arbor", "MI", "Michigan"),
    ("Savannah", "GA", "Georgia"), ("Salem", "MA", "Massachusetts"), ("Albany", "NY", "New York"),
    ("Wilmington", "DE", "Delaware"), ("Carpinteria", "CA", "California"), ("Seattle", "WA", "Washington"),
]  # fmt: skip
STREETS = ["State St", "Main Street", "Coast Village Rd", "Elm Ave", "Hollister Ave", "W Anapamu St", "Oak Lane",
           "5th Avenue", "Harbor Way", "Market St", "Chapala St", "Old Mill Road", "University Blvd", "Haley St",
           "Stearns Wharf", "N 3rd St", "Broadway", "Cherry Street", "Lake Dr", "Milpas St"]  # fmt: skip
BUSINESS_HEADS = ["Grill", "Kitchen", "Bistro", "Cafe", "Taqueria", "Bakery", "Tavern", "Diner", "Brewery", "Deli",
                  "Steakhouse", "Noodle House", "Pizzeria", "Cantina", "Market", "Creamery", "Fish House", "Salon",
                  "Garage", "Bookshop", "Spa", "Gym", "Inn", "Coffee Roasters"]  # fmt: skip
CATEGORIES = {
    "Mexican": ["Restaurants", "Tacos", "Fast Food", "Breakfast & Brunch", "Bars"],
    "Italian": ["Restaurants", "Pizza", "Wine Bars", "Salad", "Nightlife"],
    "Chinese": ["Restaurants", "Noodles", "Dim Sum", "Seafood"],
    "Japanese": ["Restaurants", "Sushi Bars", "Ramen", "Asian Fusion"],
    "Coffee & Tea": ["Food", "Cafes", "Bakeries", "Desserts"],
    "American (Traditional)": ["Restaurants", "Burgers", "Sandwiches", "Diners", "Sports Bars"],
    "Breweries": ["Food", "Beer", "Nightlife", "Pubs", "Gastropubs"],
    "Thai": ["Restaurants", "Vegetarian", "Asian Fusion"],
    "Indian": ["Restaurants", "Vegan", "Buffets", "Halal"],
    "Steakhouses": ["Restaurants", "Seafood", "Cocktail Bars", "American (New)"],
    "Hair Salons": ["Beauty & Spas", "Barbers", "Nail Salons"],
    "Auto Repair": ["Automotive", "Tires", "Oil Change Stations"],
    "Ice Cream & Frozen Yogurt": ["Food", "Desserts", "Juice Bars & Smoothies"],
    "Mediterranean": ["Restaurants", "Greek", "Middle Eastern", "Salad"],
    "Delis": ["Restaurants", "Sandwiches", "Caterers", "Event Planning & Services"],
}
DISHES = ["fish tacos", "carne asada burrito", "Hawaiian pizza", "clam chowder", "avocado toast", "pad thai",
          "chicken tikka masala", "lobster roll", "ribeye", "eggs Benedict", "tonkotsu ramen", "spicy tuna roll",
          "garlic bread", "Caesar salad", "tiramisu", "pulled pork sandwich", "mac and cheese", "cold brew",
          "margaritas", "pumpkin pancakes", "shrimp scampi", "veggie burger", "sweet potato fries", "lamb gyro",
          "falafel wrap", "chocolate cake", "onion rings", "Philly cheesesteak", "chile verde", "lemon chicken",
          "banana bread", "IPA", "calamari", "oysters", "pho", "dumplings", "cinnamon rolls", "gnocchi"]  # fmt: skip
FIRST_NAMES = ["Maria", "James", "Aisha", "Wei", "Olga", "Pedro", "Ingrid", "Tom", "Priya", "Kenji", "Laura", "Omar",
               "Grace", "Luca", "Hannah", "Samuel", "Nadia", "Victor", "Chloe", "Ibrahim", "Marta", "Daniel", "Yuki",
               "Elena", "Patrick", "Sofia", "Andre", "Ruth", "Felix", "Carmen"]  # fmt: skip
LAST_NAMES = ["Alvarez", "Bennett", "Chen", "Dubois", "Eriksson", "Fischer", "Garcia", "Hughes", "Ito", "Jensen",
              "Kowalski", "Lindgren", "Moreau", "Nakamura", "Okafor", "Petrov", "Quinn", "Rossi", "Silva", "Tanaka",
              "Usman", "Vargas", "Walsh", "Xu", "Young", "Zielinski", "Baker", "Carver", "Delgado", "Foster",
              "Marino", "Novak", "Osborne", "Pereira"]  # fmt: skip
COUNTRIES = ["France", "Japan", "Brazil", "Kenya", "Norway", "Canada", "India", "Portugal", "Vietnam", "Peru",
             "Poland", "Egypt", "Mexico", "Ireland", "Turkey", "Chile", "Ghana", "Finland"]  # fmt: skip
COLOURS = ["black", "white", "red", "blue", "green", "silver", "grey", "yellow", "orange", "navy"]
MATERIALS = ["aluminium", "steel", "cotton", "leather", "plastic", "oak", "ceramic", "wool", "glass", "bamboo"]
PRODUCTS = ["backpack", "desk lamp", "kettle", "office chair", "running shoe", "laptop stand", "water bottle", "tent",
            "bicycle helmet", "blender", "monitor", "headphones", "raincoat", "suitcase", "toaster"]  # fmt: skip
JOBS = ["architect", "chemist", "footballer", "novelist", "pianist", "politician", "engineer", "painter",
        "film director", "economist", "surgeon", "biologist", "journalist", "sprinter", "chef"]  # fmt: skip
FIELDS = ["physics", "law", "medicine", "history", "mathematics", "music", "economics", "chemistry", "philosophy"]
GENRES = ["drama", "comedy", "thriller", "documentary", "science fiction", "western", "romance", "horror"]
TEAMS = ["Rovers", "United", "Wanderers", "Athletic", "Falcons", "Sharks", "Lions", "Rangers", "Comets", "Pirates"]
